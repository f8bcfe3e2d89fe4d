// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import WICore

/// A zip archive in memory, mapped where the system can: its directory and the bytes of stored entries (PKWARE's APPNOTE,
/// sections 4.3 and 4.4).
struct ZipArchive: Sendable {
    struct Entry: Hashable, Sendable {
        let method: Int
        let size: Int
        /// Where the entry's own header begins.
        let offset: Int
    }

    private let data: Data
    /// The entries by their names.
    let entries: [String: Entry]

    init(path: String) throws(ImageError) {
        do {
            data = try Data(contentsOf: URL(filePath: path), options: .mappedIfSafe)
        } catch {
            throw ImageError(
                .fileNotFound, stage: .load, "The archive “\(path)” cannot be read.",
                underlying: String(describing: error))
        }
        guard let entries = Self.directory(of: data) else { throw Self.damaged }
        self.entries = entries
    }

    /// The bytes of an entry.
    func contents(of entry: Entry) throws(ImageError) -> Data {
        guard entry.method == 0 else {
            throw ImageError(
                .unsupportedFeature, stage: .load,
                "The entry is compressed by method \(entry.method); store pictures as they are (zip -0).")
        }
        // Names and extra fields of the entry's own header may differ in length from those of the directory.
        guard number(data, entry.offset, 4) == 0x0403_4B50, let name = number(data, entry.offset + 26, 2),
            let extra = number(data, entry.offset + 28, 2)
        else { throw Self.damaged }
        let start = entry.offset + 30 + name + extra
        guard start <= data.count, entry.size <= data.count - start else { throw Self.damaged }
        return data.subdata(in: start..<start + entry.size)
    }

    private static let damaged = ImageError(
        .corruptData, stage: .load, "The file is no zip archive, or damaged.")

    /// Nil where there is none.
    private static func directory(of data: Data) -> [String: Entry]? {
        // The end record is the last thing, before a comment of at most 65,535 bytes.
        var end = data.count - 22
        while end >= 0, end >= data.count - 22 - 65_535, number(data, end, 4) != 0x0605_4B50 { end -= 1 }
        guard end >= 0, number(data, end, 4) == 0x0605_4B50, let count = number(data, end + 10, 2),
            var offset = number(data, end + 16, 4)
        else { return nil }
        var entries: [String: Entry] = [:]
        for _ in 0..<count {
            guard number(data, offset, 4) == 0x0201_4B50, let method = number(data, offset + 10, 2),
                let size = number(data, offset + 20, 4), let own = number(data, offset + 42, 4),
                let name = number(data, offset + 28, 2), let extra = number(data, offset + 30, 2),
                let comment = number(data, offset + 32, 2), offset + 46 + name <= data.count
            else { return nil }
            let text = String(decoding: data[offset + 46..<offset + 46 + name], as: UTF8.self)
            entries[text] = Entry(method: method, size: size, offset: own)
            offset += 46 + name + extra + comment
        }
        return entries
    }
}

/// A number of 2 or 4 bytes, the least significant first; nil beyond the end.
private func number(_ data: Data, _ offset: Int, _ count: Int) -> Int? {
    guard offset >= 0, offset <= data.count - count else { return nil }
    return data[offset..<offset + count].reversed().reduce(0) { $0 << 8 | Int($1) }
}
