// SPDX-License-Identifier: MIT
public import WICore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Where a disk cache lies, and how much it keeps.
public struct DiskCacheConfiguration: Sendable {
    /// Which time the age limit counts from.
    public enum AgeReference: Hashable, Sendable {
        /// The last use. The default.
        case access
        /// When the entry was stored.
        case modification
    }

    /// The folder. Default: ``userFolder``.
    ///
    /// It is used only where nobody else can change what lies in it: it belongs to the process's user and not everybody
    /// may write to it, and what is made in it is writable by the user alone. Otherwise each use is an error that says so,
    /// while requests go on without the cache.
    public var root: String
    /// A folder in it, for caches that are not to mix. Letters, digits, `.`, `_` and `-` stay as they are. Default `default`.
    public var namespace = "default"
    /// Bytes of all entries together. Default 1 GiB.
    public var byteLimit = ByteCount.gibibytes(1)
    /// Entries. Default: no limit.
    public var countLimit = Int.max
    /// How long an entry is kept. Default 7 days. Nil: for ever.
    public var ageLimit: Duration? = .seconds(7 * 24 * 3600)
    /// Which time the age limit counts from. Default the last use.
    public var ageReference = AgeReference.access
    /// Down to which share of the limits a full cache is emptied, a few entries with each store. Default 0.9.
    public var lowWaterMark = 0.9
    /// Names a plain file with the bytes of a key, such as one that the program came with, where the cache has no entry. It is
    /// only read. Default nil: there are none.
    public var additionalFile: (@Sendable (CacheKey) -> String?)?
    /// Whether a thread of the process looks after the cache from time to time: expired entries go also where nobody stores.
    /// Default true.
    public var sweepsInBackground = true
    /// The clocks. Default: the system's.
    public var time = TimeSource.system
    package var fileSystem: any FileSystem = LocalFileSystem()
    /// Gives a number below its argument: which shard is looked at.
    package var random: @Sendable (Int) -> Int = { Int.random(in: 0..<$0) }

    /// Seconds after which a shard is counted anew in the background, and its expired entries go.
    var countInterval: Double {
        let longest = 43_200.0, shortest = 30.0
        guard let ageLimit else { return longest }
        return min(longest, max(shortest, Double(ageLimit.components.seconds) / 14))
    }

    /// The defaults, in `root` or the user's cache folder.
    public init(root: String? = nil) { self.root = root ?? Self.userFolder }

    /// `webimage` in `$XDG_CACHE_HOME`, or else in `~/.cache`, by the XDG Base Directory Specification; without a home, `webimage-`
    /// and the user's number in `/tmp`.
    public static var userFolder: String { userFolder { getenv($0).map { String(cString: $0) } } }

    static func userFolder(_ variable: (String) -> String?) -> String {
        func path(_ name: String) -> String? { variable(name).flatMap { $0.hasPrefix("/") ? $0 : nil } }
        if let cache = path("XDG_CACHE_HOME") { return cache + "/webimage" }
        guard let home = path("HOME") else { return "/tmp/webimage-\(geteuid())" }
        return home + "/.cache/webimage"
    }
}
