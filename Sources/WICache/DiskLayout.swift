// SPDX-License-Identifier: MIT
internal import WICore
internal import WIEntry

/// Where things lie: `<root>/<namespace>/v1/<2 hex digits>/<digest>.<extension>`.
struct DiskLayout: Sendable {
    /// Where one entry lies.
    struct Place: Sendable {
        let shard: Int
        let folder: String
        let path: String
    }

    static let temporaryPrefix = ".tmp-"
    /// A temporary file that is older belongs to nobody any more.
    static let temporaryLife = 600.0

    let folder: String
    let totalsPath: String
    private let ageLimit: Double?
    private let ageReference: DiskCacheConfiguration.AgeReference

    init(_ configuration: DiskCacheConfiguration) {
        let allowed = configuration.namespace.utf8.map { byte -> Character in
            let isPlain = (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
            return isPlain || "._-".utf8.contains(byte) ? Character(Unicode.Scalar(byte)) : "_"
        }
        var name = String(allowed.prefix(100))
        if name.allSatisfy({ $0 == "." }) { name = "_" + name }
        let base = "\(configuration.root)/\(name)"
        folder = base + "/v1"
        totalsPath = base + "/v1.totals"
        ageLimit = configuration.ageLimit.map { Double($0.components.seconds) + Double($0.components.attoseconds) / 1e18 }
        ageReference = configuration.ageReference
    }

    func folder(of shard: Int) -> String {
        let digits = String(shard, radix: 16)
        return folder + (shard < 16 ? "/0" : "/") + digits
    }

    func place(of key: CacheKey) -> Place {
        let digest = EntryDigest(key)
        let folder = "\(folder)/\(digest.shardName)"
        let suffix = Self.fileExtension(of: key.base)
        return Place(
            shard: digest.shard, folder: folder, path: suffix.isEmpty ? "\(folder)/\(digest.text)" : "\(folder)/\(digest.text).\(suffix)")
    }

    /// The extension of the key's path, without query and fragment; empty where it is none that a file may have.
    static func fileExtension(of base: String) -> String {
        let path = base.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        guard let dot = path.lastIndex(of: UInt8(ascii: ".")) else { return "" }
        let suffix = path[path.index(after: dot)...]
        let isPlain = suffix.allSatisfy {
            (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
        }
        return isPlain && suffix.count <= 16 ? String(decoding: suffix, as: UTF8.self) : ""
    }

    func isExpired(_ status: FileStatus, at now: Double) -> Bool {
        guard let ageLimit else { return false }
        let since = ageReference == .access ? max(status.accessedAt, status.modifiedAt) : status.modifiedAt
        return now - since >= ageLimit
    }
}
