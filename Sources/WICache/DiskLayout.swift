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

        /// The name of a temporary file beside it.
        func temporaryPath(_ writer: String, _ number: UInt64) -> String {
            var temporary = ""
            temporary.reserveCapacity(folderLength + 48)
            temporary += path[..<path.utf8.index(path.startIndex, offsetBy: folderLength + 1)]
            temporary += DiskLayout.temporaryPrefix
            temporary += writer
            temporary += "-"
            temporary += String(number, radix: 36)
            return temporary
        }
    }

    static let temporaryPrefix = ".tmp-"
    /// A temporary file that is older belongs to nobody any more.
    static let temporaryLife = 600.0

    let root: String
    /// The folder of the namespace.
    let namespace: String
    let folder: String
    let totalsPath: String
    /// Seconds by which a noted use may be late: each note is a write.
    let useResolution: Double
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
        useResolution = min(10, (ageLimit ?? .infinity) / 60)
    }

    func folder(of shard: Int) -> String {
        let digits = String(shard, radix: 16)
        return folder + (shard < 16 ? "/0" : "/") + digits
    }

    func path(of name: String, in shard: Int) -> String { "\(folder(of: shard))/\(name)" }

    /// Where a file of this name lies.
    func place(of name: String, in shard: Int) -> Place {
        Place(shard: shard, path: path(of: name, in: shard), folderLength: folder.utf8.count + 3)
    }

    /// Every look-up makes a path: in one go.
    func place(of key: CacheKey) -> Place {
        let digest = EntryDigest(key)
        var base = key.base, folder = folder
        let path = base.withUTF8 { base in
            folder.withUTF8 { folder in
                let suffix = UnsafeBufferPointer(rebasing: base[Self.extensionRange(of: base)])
                return Self.path(folder, digest, suffix)
            }
        }
        return Place(shard: digest.shard, path: path, folderLength: folder.utf8.count + 3)
    }

    private static func path(
        _ folder: UnsafeBufferPointer<UInt8>, _ digest: EntryDigest, _ suffix: UnsafeBufferPointer<UInt8>
    ) -> String {
        let length = folder.count + 4 + EntryDigest.length + (suffix.isEmpty ? 0 : 1 + suffix.count)
        return String(unsafeUninitializedCapacity: length) { path in
            guard let start = path.baseAddress, let source = folder.baseAddress else { return 0 }
            start.update(from: source, count: folder.count)
            let name = start + folder.count + 4
            digest.write(to: name)
            (name - 4).pointee = UInt8(ascii: "/")
            (name - 3).update(from: name, count: 2)
            (name - 1).pointee = UInt8(ascii: "/")
            if let source = suffix.baseAddress, !suffix.isEmpty {
                name[EntryDigest.length] = UInt8(ascii: ".")
                (name + EntryDigest.length + 1).update(from: source, count: suffix.count)
            }
            return length
        }
    }

    /// The extension of the key's path, without query and fragment; empty where it is none that a file may have.
    static func fileExtension(of base: String) -> String {
        var base = base
        return base.withUTF8 { String(decoding: $0[extensionRange(of: $0)], as: UTF8.self) }
    }

    private static func extensionRange(of base: UnsafeBufferPointer<UInt8>) -> Range<Int> {
        var end = 0
        while end < base.count, base[end] != UInt8(ascii: "?"), base[end] != UInt8(ascii: "#") { end += 1 }
        // From the end: the key may be long, an extension that counts is short.
        var start = end
        while start > 0, end - start <= 16, isPlain(base[start - 1]) { start -= 1 }
        guard start > 0, end - start <= 16, base[start - 1] == UInt8(ascii: ".") else { return 0..<0 }
        return start..<end
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
