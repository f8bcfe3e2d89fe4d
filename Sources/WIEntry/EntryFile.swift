// SPDX-License-Identifier: MIT
package import FoundationEssentials
package import WICore
internal import XXHashShim

/// The stored form of an entry: the payload, and behind it a trailer with key, metadata and checksum.
///
/// ```
/// payload
/// box size (32 bits, big-endian), "free"       ISO containers skip such a box; others end before it
/// version (16 bits), reserved (16 bits)
/// fields: tag (16 bits), length (32 bits), bytes
/// payload length (64 bits)
/// checksum (64 bits): XXH3 of all from the box size to the payload length, seeded with XXH3 of the payload
/// box size again (32 bits), reserved (32 bits), "WIENTRY1"
/// ```
/// Numbers are little-endian where nothing else is said. Fields with unknown tags are kept as they are.
package struct EntryFile: Sendable, Equatable {
    /// A field that this version does not know.
    package struct UnknownField: Sendable, Equatable {
        package var tag: UInt16
        package var bytes: Data

        package init(tag: UInt16, bytes: Data) {
            self.tag = tag
            self.bytes = bytes
        }
    }

    /// Why bytes are no stored entry.
    package enum Fault: Error, Equatable, Sendable {
        case noTrailer
        case unknownVersion
        case malformed
        case wrongChecksum
        /// Key and metadata take more than ``trailerLimit``.
        case tooLarge
    }

    /// Bytes of key and metadata together: 8 MiB, as for a metadata block of a picture.
    package static let trailerLimit = 8 << 20

    package static let version = 1
    /// Bytes of a trailer beside the texts in it, at most.
    static let trailerOverhead = 4096

    /// The text of the key that the entry is stored under.
    package var keyText: String
    package var metadata: EntryMetadata
    package var unknownFields: [UnknownField] = []
    package var payload: Data

    package init(keyText: String, metadata: EntryMetadata, payload: Data) {
        self.keyText = keyText
        self.metadata = metadata
        self.payload = payload
    }

    // MARK: - Writing

    /// What follows the payload in the file.
    ///
    /// - Throws: ``Fault/tooLarge``.
    package func trailer() throws(Fault) -> Data {
        let extent = extent
        guard extent <= Self.trailerLimit else { throw .tooLarge }
        var fields = FieldWriter(capacity: extent + 256)
        fields.append(.key, keyText)
        fields.append(metadata)
        for field in unknownFields { fields.append(field.tag, field.bytes) }
        return fields.finish(payload)
    }

    /// A trailer around fields as they are, which need not make sense: for tests that go behind the checksum.
    package static func trailer(fields: [UInt8], payload: Data) -> Data {
        var writer = FieldWriter(capacity: fields.count + 64)
        writer.append(raw: fields)
        return writer.finish(payload)
    }

    /// Bytes of the texts and data in the trailer. Each is in memory, and few: the sum cannot overflow.
    private var extent: Int {
        let texts = [
            metadata.sourceURL, metadata.contentType, metadata.validators.entityTag,
            metadata.validators.lastModified,
        ]
        var sum = keyText.utf8.count + (metadata.extendedData?.count ?? 0)
        for text in texts { sum += text?.utf8.count ?? 0 }
        for field in metadata.responseHeaders.fields + metadata.requestHeaders.fields {
            sum += field.name.utf8.count + field.value.utf8.count + 7
        }
        for field in unknownFields { sum += field.bytes.count + 6 }
        return sum
    }

    static func checksum(_ trailer: [UInt8], _ payload: Data) -> UInt64 {
        let seed = payload.withUnsafeBytes { wi_hash64($0.baseAddress, $0.count, 0) }
        return trailer.withUnsafeBytes { wi_hash64($0.baseAddress, $0.count, seed) }
    }

    // MARK: - Reading

    /// Reads a whole file. The payload shares its memory. Another key than the expected one is no error.
    ///
    /// - Throws: ``Fault`` when the bytes are not, to the last one, what was written.
    package init(_ file: Data, expectedKey: String = "") throws(Fault) {
        let bytes = file.bytes
        let frame = try TrailerFrame(bytes, fileSize: bytes.byteCount)
        guard frame.checksum == Self.checksum(file, payloadLength: frame.start) else { throw .wrongChecksum }
        var reader = FieldReader(expectedKey: expectedKey)
        try reader.read(bytes, frame.fields)
        guard let keyText = reader.keyText, let metadata = reader.metadata else { throw .malformed }
        self.keyText = keyText
        self.metadata = metadata
        unknownFields = reader.unknownFields
        // A slice: setting the count would copy what `file` shares.
        payload = file.prefix(frame.start)
    }

    private static func checksum(_ file: Data, payloadLength: Int) -> UInt64 {
        file.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return 0 }
            let seed = wi_hash64(base, payloadLength, 0)
            return wi_hash64(base + payloadLength, bytes.count - payloadLength - 24, seed)
        }
    }
}

extension RawSpan {
    func littleEndian64(_ offset: Int) -> UInt64? {
        guard offset >= 0, offset <= byteCount - 8 else { return nil }
        return UInt64(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
}
