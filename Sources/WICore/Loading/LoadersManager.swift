// SPDX-License-Identifier: MIT
internal import FoundationEssentials

/// The ordered registry of loaders, and itself a loader: the last registered one that takes a request loads it.
public final class LoadersManager: ImageLoading {
    private let registry: Locked<[any ImageLoading]>

    /// A registry of these loaders, in the order of their registration.
    public init(_ loaders: [any ImageLoading] = []) { registry = Locked(loaders) }

    /// The loaders in the order of their registration.
    public var loaders: [any ImageLoading] { registry.withLock { $0 } }

    /// Adds a loader, to be asked before all others.
    public func register(_ loader: any ImageLoading) { registry.withLock { $0.append(loader) } }

    /// The loader that takes the request; nil when none does.
    public func loader(for request: LoadRequest) -> (any ImageLoading)? {
        loaders.last { $0.canLoad(request) }
    }

    /// Whether some loader takes the request.
    public func canLoad(_ request: LoadRequest) -> Bool { loader(for: request) != nil }

    /// Loads with the last registered loader that takes the request.
    ///
    /// - Throws: what it throws; ``ImageError`` with code `unsupportedScheme` when there is none.
    public func load(_ request: LoadRequest, into body: BodySink) async throws -> LoadResult {
        guard let loader = loader(for: request) else { throw ImageError.unsupportedScheme(request.url) }
        return try await loader.load(request, into: body)
    }

    /// That of the loader that takes the request.
    public func sharingKey(for request: LoadRequest) -> String? {
        loader(for: request)?.sharingKey(for: request)
    }

    /// That of the loader that takes the request.
    public func blockingTime(after error: ImageError, for request: LoadRequest) -> Duration? {
        loader(for: request)?.blockingTime(after: error, for: request)
    }

    /// Told to all loaders; the one that feeds the sink acts.
    public func setPriority(_ priority: LoadPriority, of body: BodySink) {
        for loader in loaders { loader.setPriority(priority, of: body) }
    }

    /// Shuts all loaders down.
    public func shutdown() async {
        for loader in loaders { await loader.shutdown() }
    }
}

extension ImageError {
    /// No loader takes the URL's scheme.
    static func unsupportedScheme(_ url: FoundationEssentials.URL) -> ImageError {
        let scheme = url.scheme.map { "“\($0)”" } ?? "none"
        return ImageError(
            .unsupportedScheme, stage: .load,
            "No loader takes the scheme \(scheme); use http or https, or register a loader for it.", url: url)
    }
}
