// SPDX-License-Identifier: MIT
package import FoundationEssentials
package import WICore

/// What the trailer of a stored entry says, its payload unread: for lists. Nothing is verified that needs the payload.
package struct EntrySummary: Sendable, Equatable {
    /// Enough for most trailers: what is read of a file at first.
    package static let usualLength = 4096

    /// The text of the key that the entry is stored under.
    package let keyText: String
    package let metadata: EntryMetadata
    /// Bytes of the payload.
    package let payloadLength: Int

    /// Bytes at the end of a file that must be read for its summary, told from its last bytes, 32 at least.
    ///
    /// - Throws: ``EntryFile/Fault`` when that is no end of an entry.
    package static func length(endOf tail: Data) throws(EntryFile.Fault) -> Int {
        guard let length = TrailerFrame.length(endOf: tail.bytes) else { throw .noTrailer }
        guard length <= EntryFile.trailerLimit + EntryFile.trailerOverhead else { throw .tooLarge }
        return length
    }

    /// Reads the end of a file of `fileSize` bytes.
    ///
    /// - Throws: ``EntryFile/Fault`` when it is no end of an entry, or not all of its trailer.
    package init(tail: Data, fileSize: Int) throws(EntryFile.Fault) {
        let bytes = tail.bytes
        let frame = try TrailerFrame(bytes, fileSize: fileSize)
        var reader = FieldReader()
        try reader.read(bytes, frame.fields)
        guard let keyText = reader.keyText, let metadata = reader.metadata else { throw .malformed }
        self.keyText = keyText
        self.metadata = metadata
        payloadLength = fileSize - (bytes.byteCount - frame.start)
    }
}
