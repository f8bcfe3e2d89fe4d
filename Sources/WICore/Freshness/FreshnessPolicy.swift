// SPDX-License-Identifier: MIT

/// How long what is cached is taken for what the server would send.
public struct FreshnessPolicy: Hashable, Sendable {
    /// How an HTTP cache behaves where RFC 9111 leaves a choice.
    struct HTTP: Hashable, Sendable {
        var isShared: Bool
        var heuristicFraction: Double
        var heuristicLimit: Duration
    }

    let http: HTTP?

    /// The URL is the picture's identity, as in SDWebImage: what is cached is used until it expires from the cache.
    /// `.refreshCached` asks the server. The default.
    public static let immutable = FreshnessPolicy(http: nil)

    /// The rules of HTTP for a cache of one user: RFC 9111 (`Cache-Control`, `Expires`, `Age`, `Vary`, validators) and RFC 5861
    /// (`stale-while-revalidate`, `stale-if-error`).
    public static let http = FreshnessPolicy.http(isShared: false)

    /// The rules of HTTP.
    ///
    /// - Parameters:
    ///   - isShared: whether several users are served from the cache: `private` answers are then not stored, `s-maxage` counts, and
    ///     answers to requests with `Authorization` are stored only where they say that they may be.
    ///   - heuristicFraction: of the time since `Last-Modified`, how much an answer without a stated lifetime is good for. Default 0.1.
    ///   - heuristicLimit: the longest such time. Default one day.
    public static func http(
        isShared: Bool, heuristicFraction: Double = 0.1, heuristicLimit: Duration = .seconds(86_400)
    ) -> FreshnessPolicy {
        FreshnessPolicy(
            http: HTTP(
                isShared: isShared, heuristicFraction: heuristicFraction, heuristicLimit: heuristicLimit))
    }
}
