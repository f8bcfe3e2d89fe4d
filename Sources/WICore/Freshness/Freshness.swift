// SPDX-License-Identifier: MIT

/// What may be done with a cached answer at one moment.
enum Freshness: Hashable, Sendable {
    /// It is used as it is.
    case fresh
    /// The server is asked.
    case stale(Staleness)
    /// It is no answer to this request.
    case unusable
}

/// What a stale answer is still good for.
struct Staleness: Hashable, Sendable {
    /// It is used at once, and the server is asked behind the request's back.
    var whileRevalidating = false
    /// It is used when asking fails.
    var onError = false
    /// It is used by a request that may not ask.
    var offline = false
}

/// A cached answer and a request for it, at one moment: the whole of RFC 9111, section 4, as arithmetic.
struct FreshnessQuestion {
    let stored: FreshnessFacts
    let policy: FreshnessPolicy
    /// The fields of the request that asks.
    let request: HTTPHeaders
    /// Whether the request wants the server asked in any case.
    let refreshes: Bool
    /// Seconds since 1970.
    let now: Double

    var answer: Freshness {
        if let expiry = stored.expiresAt, now >= expiry { return .unusable }
        guard let http = policy.http else {
            return refreshes ? .stale(Staleness(onError: true, offline: true)) : .fresh
        }
        return HTTPAnswer(self, http).freshness
    }
}

private struct HTTPAnswer {
    private let question: FreshnessQuestion
    private let http: FreshnessPolicy.HTTP
    private let request: CacheDirectives
    private var stored: FreshnessFacts { question.stored }
    private var response: CacheDirectives { stored.directives }

    init(_ question: FreshnessQuestion, _ http: FreshnessPolicy.HTTP) {
        self.question = question
        self.http = http
        var asked = question.request["Cache-Control"]
        if asked == nil, let pragma = question.request["Pragma"] { asked = pragma }
        request = CacheDirectives(asked)
    }

    var freshness: Freshness {
        guard matchesVary else { return .unusable }
        let age = age
        let lifetime = lifetime
        if isFresh(age, lifetime) {
            // An answer that says it never changes is not asked about while it lasts (RFC 8246).
            let asks = question.refreshes && !response.has(.immutable)
            return asks ? .stale(Staleness(onError: !isBinding, offline: !isBinding)) : .fresh
        }
        return .stale(staleness(age - lifetime))
    }

    private func isFresh(_ age: Double, _ lifetime: Double) -> Bool {
        if response.has(.noCache) || request.has(.noCache) { return false }
        if let limit = request.seconds(.maxAge), age > limit { return false }
        if age + (request.seconds(.minFresh) ?? 0) < lifetime { return true }
        guard request.has(.maxStale), !isBinding else { return false }
        return age - lifetime <= request.seconds(.maxStale) ?? .infinity
    }

    /// Whether a stale answer must not be used without having asked (RFC 9111, sections 4.2.4 and 5.2.2).
    private var isBinding: Bool {
        if response.has(.mustRevalidate) || response.has(.noCache) { return true }
        return http.isShared && (response.has(.proxyRevalidate) || response.has(.sharedMaxAge))
    }

    private func staleness(_ overdue: Double) -> Staleness {
        guard !isBinding else { return Staleness() }
        func reaches(_ directives: CacheDirectives, _ name: CacheDirectives.Name) -> Bool {
            directives.seconds(name).map { overdue <= $0 } ?? false
        }
        // Who finds an answer too old that is not, wants the server's own word.
        let wantsWord = question.refreshes || request.has(.noCache) || overdue < 0
        return Staleness(
            whileRevalidating: !wantsWord && reaches(response, .staleWhileRevalidate),
            onError: question.refreshes || reaches(response, .staleIfError)
                || reaches(request, .staleIfError),
            offline: true)
    }

    /// How long the answer is good for, counted from its making (section 4.2.1).
    private var lifetime: Double {
        if http.isShared, let seconds = response.seconds(.sharedMaxAge) { return seconds }
        if let seconds = response.seconds(.maxAge) { return seconds }
        switch stored.expires {
        case .at(let end): return max(0, end - stored.date)
        case .over: return 0
        case nil: return heuristicLifetime
        }
    }

    private var heuristicLifetime: Double {
        guard let modified = stored.lastModified, modified < stored.date else { return 0 }
        let limit = Double(http.heuristicLimit.components.seconds)
        return min(max(0, limit), (stored.date - modified) * max(0, http.heuristicFraction))
    }

    /// How old the answer is (section 4.2.3), never less than nothing: a clock may have been set back.
    private var age: Double {
        let storedAt = stored.storedAt
        let apparent = max(0, storedAt - stored.date)
        let corrected = stored.age + (storedAt - min(stored.requestedAt ?? storedAt, storedAt))
        return max(apparent, corrected) + max(0, question.now - storedAt)
    }

    /// Whether the stored answer is the variant that this request would get (section 4.1).
    private var matchesVary: Bool {
        stored.vary.allSatisfy { name in
            name != "*" && question.request[name] == stored.requestHeaders[name]
        }
    }
}

/// The names of a field that lists names.
func fieldNames(_ list: String) -> [String] {
    list.split(whereSeparator: { $0 == "," || $0 == " " || $0 == "\t" }).map { $0.lowercased() }
}
