// SPDX-License-Identifier: MIT
public import WICore

/// What reading every entry of a disk cache came to.
public struct DiskVerification: Hashable, Sendable {
    /// A file that is no good entry. A query for it would be a miss, and remove it.
    public struct Damage: Hashable, Sendable {
        /// The file.
        public let path: String
        /// Its size.
        public let fileSize: ByteCount
        /// What is wrong, in a sentence.
        public let reason: String
    }

    /// Good entries.
    public private(set) var count = 0
    /// What was stored in them.
    public private(set) var bytes = ByteCount.zero
    /// The others.
    public private(set) var damaged: [Damage] = []

    mutating func add(_ payload: Int) {
        count += 1
        bytes = bytes + ByteCount(payload)
    }

    mutating func addDamage(_ path: String, _ size: Int, _ reason: String) {
        damaged.append(Damage(path: path, fileSize: ByteCount(size), reason: reason))
    }
}
