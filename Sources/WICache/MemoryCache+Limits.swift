// SPDX-License-Identifier: MIT
public import WICore

extension MemoryCache {
    /// How much a memory cache keeps, and for how long.
    public struct Limits: Hashable, Sendable {
        /// Bytes of pixels and what belongs to them. Default: a quarter of what the process may use.
        public var cost: ByteCount
        /// Pictures. Default: no limit.
        public var count = Int.max
        /// A picture that takes more than this share of the cost limit is not kept: it would push out everything else.
        /// Default one half.
        public var largestShare = 0.5
        /// How long a picture is kept after it was stored, however often it is used. Default nil: until it has to go for others.
        public var timeToLive: Duration?
        /// Whether a picture that had to go is found again as long as somebody holds it: its pixels are in memory anyway.
        /// Default true.
        public var findsPicturesInUse = true

        /// The defaults.
        public init() { cost = ByteCount(ProcessMemory.limit().bytes / 4) }

        /// Limits with this cost.
        public init(
            cost: ByteCount, count: Int = .max, largestShare: Double = 0.5, timeToLive: Duration? = nil
        ) {
            self.cost = cost
            self.count = count
            self.largestShare = largestShare
            self.timeToLive = timeToLive
        }
    }

    /// What a memory cache holds, and how it was used.
    public struct Statistics: Hashable, Sendable {
        /// Pictures.
        public var count = 0
        /// Bytes.
        public var cost = ByteCount.zero
        /// Look-ups that found a picture.
        public var hits = 0
        /// Look-ups that found none.
        public var misses = 0
        /// Pictures that had to go for others.
        public var evictions = 0
    }
}
