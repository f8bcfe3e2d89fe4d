// SPDX-License-Identifier: MIT

/// Told what a manager does, stage by stage: each beginning has exactly one end.
///
/// Calls come from the manager's threads, several at a time, in order for one stage; they should return quickly. Without an
/// observer nothing is measured.
public protocol ManagerObserver: Sendable {
    /// A stage begins.
    func began(_ stage: ObservedStage)
    /// A stage has ended.
    ///
    /// - Parameters:
    ///   - stage: the value that ``began(_:)`` was given.
    ///   - duration: how long it took.
    ///   - outcome: what it came to.
    func ended(_ stage: ObservedStage, after duration: Duration, _ outcome: ObservedOutcome)
}

/// One stage of one request's way, or the whole of it.
public struct ObservedStage: Hashable, Sendable {
    /// What is done.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// From the call to the answer.
        case request
        /// A look into a cache that takes time.
        case query
        /// A loader's work; shared by all requests that need the bytes.
        case load
        /// From bytes to pixels.
        case decode
        /// From pixels to pixels.
        case transform
        /// Writing to the caches, encoding included.
        case store
    }

    /// Tells stages that run at the same time apart; never used twice by one manager.
    public let number: UInt64
    /// What is done.
    public let kind: Kind
    /// The URL, without credentials and query values; nil where there is none.
    public let url: String?
}

/// What a stage came to.
public enum ObservedOutcome: Sendable {
    /// It did what it was for.
    case done
    /// A picture or its bytes were found there: a query, or a whole request.
    case found(ImageResult.Origin)
    /// Nothing was found.
    case missed
    /// So many bytes came from the loader.
    case loaded(ByteCount)
    /// The server has nothing newer than what is stored.
    case notModified
    /// It failed, or was cancelled.
    case failed(ImageError)
}

/// A stage under way, from its beginning to its one end.
struct ObservedSpan: Sendable {
    private let observer: any ManagerObserver
    private let stage: ObservedStage
    private let start: Duration
    private let time: TimeSource

    init(_ observer: any ManagerObserver, _ stage: ObservedStage, _ time: TimeSource) {
        self.observer = observer
        self.stage = stage
        self.time = time
        start = time.monotonic()
        observer.began(stage)
    }

    func end(_ outcome: ObservedOutcome) {
        observer.ended(stage, after: time.monotonic() - start, outcome)
    }
}

extension ManagerParts {
    /// Tells the observer that a stage begins; nil where there is none.
    func observe(_ kind: ObservedStage.Kind, _ url: @autoclosure () -> String?) -> ObservedSpan? {
        guard let observer else { return nil }
        return ObservedSpan(observer, ObservedStage(number: newID().number, kind: kind, url: url()), time)
    }
}
