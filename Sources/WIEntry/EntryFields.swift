// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import WICore

/// The tags of the fields. A number, once given, keeps its meaning for ever.
enum FieldTag: UInt16 {
    case key = 1
    case storedAt = 2
    case expiresAt = 3
    case sourceURL = 4
    case contentType = 5
    case entityTag = 6
    case lastModified = 7
    /// A response header: name, NUL, value. Repeats.
    case header = 8
    case extendedData = 9
    case requestedAt = 10
    /// A request header that the answer varies by, as ``header``. Repeats.
    case requestHeader = 11
}

/// Writes a trailer, into an array: `Data` takes ten times as long for pieces of a few bytes.
struct FieldWriter {
    private var bytes: [UInt8] = []

    /// Leaves room for the size, which is known at the end.
    init(capacity: Int) {
        bytes.reserveCapacity(capacity)
        bytes.append(littleEndian: UInt32(0))
        bytes.append(contentsOf: "free".utf8)
        bytes.append(littleEndian: UInt16(EntryFile.version))
        bytes.append(littleEndian: UInt16(0))
    }

    mutating func append(raw fields: [UInt8]) { bytes += fields }

    /// The whole trailer of an entry with this payload.
    consuming func finish(_ payload: Data) -> Data {
        let size = UInt32(bytes.count + TrailerFrame.footerLength)
        for index in 0..<4 { bytes[index] = UInt8(truncatingIfNeeded: size >> (24 - 8 * UInt32(index))) }
        bytes.append(littleEndian: UInt64(payload.count))
        bytes.append(littleEndian: EntryFile.checksum(bytes, payload))
        bytes.append(littleEndian: size)
        bytes.append(littleEndian: UInt32(0))
        bytes.append(contentsOf: "WIENTRY1".utf8)
        return Data(bytes)
    }

    private mutating func begin(_ tag: UInt16, _ count: Int) {
        bytes.append(littleEndian: tag)
        bytes.append(littleEndian: UInt32(count))
    }

    mutating func append(_ tag: UInt16, _ content: Data) {
        begin(tag, content.count)
        content.withUnsafeBytes { bytes.append(contentsOf: $0) }
    }

    mutating func append(_ tag: FieldTag, _ text: String?) {
        guard let text else { return }
        begin(tag.rawValue, text.utf8.count)
        bytes.append(contentsOf: text.utf8)
    }

    private mutating func append(_ tag: FieldTag, _ number: Double) {
        begin(tag.rawValue, 8)
        bytes.append(littleEndian: number.bitPattern)
    }

    private mutating func append(_ tag: FieldTag, _ headers: HTTPHeaders) {
        for field in headers.fields { append(tag, field.name + "\0" + field.value) }
    }

    mutating func append(_ metadata: EntryMetadata) {
        // What is no number is no time: without it an entry is as old as can be, or has no expiry of its own.
        append(.storedAt, metadata.storedAt.isFinite ? metadata.storedAt : 0)
        if let expiry = metadata.expiresAt, expiry.isFinite { append(.expiresAt, expiry) }
        append(.sourceURL, metadata.sourceURL)
        append(.contentType, metadata.contentType)
        append(.entityTag, metadata.validators.entityTag)
        append(.lastModified, metadata.validators.lastModified)
        append(.header, metadata.responseHeaders)
        if let time = metadata.requestedAt, time.isFinite { append(.requestedAt, time) }
        append(.requestHeader, metadata.requestHeaders)
        if let extended = metadata.extendedData { append(FieldTag.extendedData.rawValue, extended) }
    }
}

struct FieldReader {
    private(set) var keyText: String?
    /// The text that the key most probably has: it is compared, not made anew.
    private var expectedKey: String
    private(set) var unknownFields: [EntryFile.UnknownField] = []
    private var fields = EntryMetadata(storedAt: 0)
    private var hasTime = false

    init(expectedKey: String = "") { self.expectedKey = expectedKey }

    /// The metadata, once their one required field was met.
    var metadata: EntryMetadata? { hasTime ? fields : nil }

    mutating func read(_ bytes: RawSpan, _ range: Range<Int>) throws(EntryFile.Fault) {
        var offset = range.lowerBound
        while offset < range.upperBound {
            guard let tag = bytes.littleEndian16(offset), let length = bytes.littleEndian32(offset + 2),
                length <= range.upperBound - offset - 6
            else { throw .malformed }
            try take(UInt16(tag), bytes.extracting(offset + 6..<offset + 6 + length))
            offset += 6 + length
        }
    }

    private mutating func take(_ tag: UInt16, _ content: RawSpan) throws(EntryFile.Fault) {
        switch FieldTag(rawValue: tag) {
        case .key: keyText = try content.isEqual(to: &expectedKey) ? expectedKey : text(content)
        case .storedAt:
            fields.storedAt = try number(content)
            hasTime = true
        case .expiresAt: fields.expiresAt = try number(content)
        case .sourceURL: fields.sourceURL = try text(content)
        case .contentType: fields.contentType = try text(content)
        case .entityTag: fields.validators.entityTag = try text(content)
        case .lastModified: fields.validators.lastModified = try text(content)
        case .header: try add(content, to: \.responseHeaders)
        case .requestedAt: fields.requestedAt = try number(content)
        case .requestHeader: try add(content, to: \.requestHeaders)
        case .extendedData: fields.extendedData = data(content)
        case nil: unknownFields.append(EntryFile.UnknownField(tag: tag, bytes: data(content)))
        }
    }

    private mutating func add(
        _ content: RawSpan, to headers: WritableKeyPath<EntryMetadata, HTTPHeaders>
    ) throws(EntryFile.Fault) {
        let parts = try text(content).split(separator: "\0", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { throw .malformed }
        fields[keyPath: headers].add(String(parts[0]), String(parts[1]))
    }

    private func text(_ content: RawSpan) throws(EntryFile.Fault) -> String {
        // Decoding mends what is no UTF-8, so that the bytes differ: faster than the generic way to be told.
        var text = content.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        guard content.isEqual(to: &text) else { throw .malformed }
        return text
    }

    private func number(_ content: RawSpan) throws(EntryFile.Fault) -> Double {
        guard content.byteCount == 8, let bits = content.littleEndian64(0) else { throw .malformed }
        let number = Double(bitPattern: bits)
        guard number.isFinite else { throw .malformed }
        return number
    }

    private func data(_ content: RawSpan) -> Data { content.withUnsafeBytes { Data($0) } }
}

extension [UInt8] {
    fileprivate mutating func append(littleEndian value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
    }
}

extension RawSpan {
    fileprivate func isEqual(to text: inout String) -> Bool {
        text.withUTF8 { text in
            withUnsafeBytes { bytes in
                bytes.count == text.count && bytes.elementsEqual(text)
            }
        }
    }
}
