// SPDX-License-Identifier: MIT
public import FoundationEssentials

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// What an ``ImageManager`` is made with. Every property has a default that suits a server as well as a desktop.
public struct ImageManagerConfiguration: Sendable {
    /// What requests want where they do not say otherwise: a transformer, key filter, serializer, timeouts.
    public var defaultContext = ImageContext()
    /// Jobs of CPU work at once. Nil: the number of processors.
    public var workThreads: Int?
    /// Bytes that running decodes may hold together; one that needs more by itself is the error `memoryLimit`.
    ///
    /// Nil: a quarter of what the process may use, and half of it for a decode that runs alone.
    public var decodeMemory: ByteCount?
    /// Threads for file work. Default 4.
    public var ioThreads = 4
    /// Bytes of bodies that arrive or wait for a decoder; transfers pause over it. Default 64 MiB.
    public var bodyMemory = ByteCount.mebibytes(64)
    /// Where large bodies lie instead of in memory; those do not count for `bodyMemory`. Default nil: nowhere.
    public var bodyFiles: BodyFiles?
    /// URLs whose failure is remembered at most. Default 10,000.
    public var failedURLCapacity = 10_000
    /// Told what the manager does, stage by stage. Default: nobody.
    public var observer: (any ManagerObserver)?
    /// Lets one of many processes load what all of them miss. Default nil: each loads for itself.
    public var fillLeasing: (any FillLeasing)?
    /// Changes a request's context after the defaults were merged in, last of all. ``ImageManager/prepare(_:)`` spares calling it for
    /// every use of a request.
    public var optionsProcessor: (@Sendable (_ url: URL?, _ context: ImageContext) -> ImageContext)?
    /// The clocks. Default: the system's.
    public var time = TimeSource.system

    /// The defaults.
    public init() {}
}

/// The two clocks that the package reads, so that tests can move them by hand.
public struct TimeSource: Sendable {
    /// Seconds since 1970.
    public var secondsSince1970: @Sendable () -> Double
    /// Time since some fixed moment; never goes back.
    public var monotonic: @Sendable () -> Duration

    /// Clocks of your own.
    public init(
        secondsSince1970: @escaping @Sendable () -> Double, monotonic: @escaping @Sendable () -> Duration
    ) {
        self.secondsSince1970 = secondsSince1970
        self.monotonic = monotonic
    }

    /// The system's clocks.
    public static let system = TimeSource(
        secondsSince1970: {
            let now = read(CLOCK_REALTIME)
            return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
        },
        monotonic: {
            let now = read(CLOCK_MONOTONIC)
            return .seconds(now.tv_sec) + .nanoseconds(now.tv_nsec)
        })

    private static func read(_ clock: clockid_t) -> timespec {
        var now = timespec()
        clock_gettime(clock, &now)
        return now
    }
}

/// What a program is asked and told by its manager. All calls come from the manager's threads and should return quickly.
public protocol ImageManagerDelegate: AnyObject, Sendable {
    /// Whether a loader may be asked for this request, which no cache could answer. No is the error `vetoed`.
    func imageManager(_ manager: ImageManager, shouldLoad request: ImageRequest) -> Bool

    /// How long a URL is to be left alone after it failed with `error`: zero asks again at once, nil leaves the word to the loader.
    func imageManager(_ manager: ImageManager, blockingTimeFor url: URL, after error: ImageError) -> Duration?

    /// A cache failed while the request itself goes on: an entry could not be read, stored or removed.
    func imageManager(_ manager: ImageManager, cacheDidFail error: ImageError, for request: ImageRequest)
}

extension ImageManagerDelegate {
    /// Yes.
    public func imageManager(_ manager: ImageManager, shouldLoad request: ImageRequest) -> Bool { true }
    /// Nil.
    public func imageManager(
        _ manager: ImageManager, blockingTimeFor url: URL, after error: ImageError
    ) -> Duration? { nil }
    /// Nothing.
    public func imageManager(
        _ manager: ImageManager, cacheDidFail error: ImageError, for request: ImageRequest
    ) {}
}
