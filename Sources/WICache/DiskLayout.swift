// SPDX-License-Identifier: MIT
internal import WICore
internal import WIEntry

/// Where things lie: `<root>/<namespace>/v1/<2 hex digits>/<digest>.<extension>`.
struct DiskLayout: Sendable {
    /// Where one entry lies.
    struct Place: Sendable {
        let shard: Int
        let path: String
        let folderLength: Int
        /// The shard's folder. Made when asked for: a hit needs the path alone.
        var folder: String { String(decoding: path.utf8.prefix(folderLength), as: UTF8.self) }
    }

    static let temporaryPrefix = ".tmp-"
    /// A temporary file that is older belongs to nobody any more.
    static let temporaryLife = 600.0

    let root: String
    /// The folder of the namespace.
    let namespace: String
    let folder: String
    let totalsPath: String
    private let ageLimit: Double?
    private let ageReference: DiskCacheConfiguration.AgeReference

    init(_ configuration: DiskCacheConfiguration) {
        let allowed = configuration.namespace.utf8.map { byte -> Character in
            Self.isPlain(byte) || "._-".utf8.contains(byte) ? Character(Unicode.Scalar(byte)) : "_"
        }
        var name = String(allowed.prefix(100))
        if name.allSatisfy({ $0 == "." }) { name = "_" + name }
        let base = "\(configuration.root)/\(name)"
        root = configuration.root
        namespace = base
        folder = base + "/v1"
        totalsPath = base + "/v1.totals"
        ageLimit = configuration.ageLimit.map {
            Double($0.components.seconds) + Double($0.components.attoseconds) / 1e18
        }
        ageReference = configuration.ageReference
    }

    func folder(of shard: Int) -> String {
        let digits = String(shard, radix: 16)
        return folder + (shard < 16 ? "/0" : "/") + digits
    }

    func place(of key: CacheKey) -> Place {
        let digest = EntryDigest(key)
        let suffix = Self.fileExtension(of: key.base)
        let folderLength = folder.utf8.count + 3
        let length = folderLength + 1 + EntryDigest.length + (suffix.isEmpty ? 0 : 1 + suffix.utf8.count)
        // In one go: every look-up makes a path.
        let path = String(unsafeUninitializedCapacity: length) { path in
            var end = 0
            func append(_ byte: UInt8) {
                path[end] = byte
                end += 1
            }
            folder.utf8.forEach(append)
            append(UInt8(ascii: "/"))
            for index in 0..<2 { append(digest.digit(index)) }
            append(UInt8(ascii: "/"))
            for index in 0..<EntryDigest.length { append(digest.digit(index)) }
            if !suffix.isEmpty {
                append(UInt8(ascii: "."))
                suffix.utf8.forEach(append)
            }
            return end
        }
        return Place(shard: digest.shard, path: path, folderLength: folderLength)
    }

    /// The extension of the key's path, without query and fragment; empty where it is none that a file may have.
    static func fileExtension(of base: String) -> String {
        var base = base
        return base.withUTF8 { bytes in
            let end = bytes.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? bytes.count
            // From the end: the key may be long, an extension that counts is short.
            var start = end
            while start > 0, end - start <= 16, isPlain(bytes[start - 1]) { start -= 1 }
            guard start > 0, end - start <= 16, bytes[start - 1] == UInt8(ascii: ".") else { return "" }
            return String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<end]), as: UTF8.self)
        }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }

    func isExpired(_ status: FileStatus, at now: Double) -> Bool {
        guard let ageLimit else { return false }
        let since = ageReference == .access ? max(status.accessedAt, status.modifiedAt) : status.modifiedAt
        return now - since >= ageLimit
    }
}
