// SPDX-License-Identifier: MIT
import Testing

@testable import WICore

/// One row for each rule of RFC 9111, RFC 5861 and RFC 8246: an answer stored at `stored`, asked for after `age` seconds.
@Suite struct FreshnessTests {
    static let stored = 784_111_777.0
    static let date = "Sun, 06 Nov 1994 08:49:37 GMT"

    struct Rule: CustomTestStringConvertible, Sendable {
        var name: String
        var response: HTTPHeaders
        var age: Double
        var expected: Freshness
        var policy = FreshnessPolicy.http
        var request = HTTPHeaders()
        var refreshes = false
        var sent = HTTPHeaders()
        var delay = 0.0
        var testDescription: String { name }
    }

    static let may = Freshness.stale(Staleness(offline: true))
    static let must = Freshness.stale(Staleness())
    static let shared = FreshnessPolicy.http(isShared: true)

    @Test(arguments: lifetimes + binding + requests + variants)
    func everyRuleHolds(_ rule: Rule) {
        var metadata = EntryMetadata(storedAt: Self.stored)
        metadata.responseHeaders = rule.response
        metadata.validators.lastModified = rule.response["Last-Modified"]
        metadata.requestHeaders = rule.sent
        metadata.requestedAt = Self.stored - rule.delay
        let question = FreshnessQuestion(
            stored: FreshnessFacts(metadata), policy: rule.policy, request: rule.request,
            refreshes: rule.refreshes,
            now: Self.stored + rule.age)
        #expect(question.answer == rule.expected)
    }

    static let lifetimes: [Rule] = [
        Rule(name: "max-age not over", response: ["Cache-Control": "max-age=60"], age: 59, expected: .fresh),
        Rule(name: "max-age over", response: ["Cache-Control": "max-age=60"], age: 60, expected: may),
        Rule(name: "names in any case", response: ["cache-control": "Max-Age=60"], age: 59, expected: .fresh),
        Rule(
            name: "quoted seconds", response: ["Cache-Control": "max-age=\"60\""], age: 59, expected: .fresh),
        Rule(
            name: "seconds that are no number", response: ["Cache-Control": "max-age=1h"], age: 0,
            expected: may),
        Rule(name: "negative seconds", response: ["Cache-Control": "max-age=-1"], age: 0, expected: may),
        Rule(
            name: "seconds beyond counting", response: ["Cache-Control": "max-age=99999999999999999999"],
            age: 1e9, expected: .fresh),
        Rule(
            name: "the first of two", response: ["Cache-Control": "max-age=10, max-age=100"], age: 50,
            expected: may),
        Rule(
            name: "s-maxage is for shared caches", response: ["Cache-Control": "max-age=10, s-maxage=100"],
            age: 50, expected: may),
        Rule(
            name: "s-maxage in a shared cache", response: ["Cache-Control": "max-age=10, s-maxage=100"],
            age: 50, expected: .fresh, policy: shared),
        Rule(
            name: "Expires", response: ["Date": date, "Expires": "Sun, 06 Nov 1994 08:50:37 GMT"], age: 59,
            expected: .fresh),
        Rule(
            name: "Expires over", response: ["Date": date, "Expires": "Sun, 06 Nov 1994 08:50:37 GMT"],
            age: 61,
            expected: may),
        Rule(
            name: "max-age before Expires",
            response: ["Expires": "Sun, 06 Nov 2094 08:49:37 GMT", "Cache-Control": "max-age=1"], age: 2,
            expected: may),
        Rule(name: "Expires: 0", response: ["Expires": "0"], age: 0, expected: may),
        Rule(
            name: "Age counts", response: ["Cache-Control": "max-age=60", "Age": "30"], age: 30, expected: may
        ),
        Rule(
            name: "the time on the wire counts", response: ["Cache-Control": "max-age=60"], age: 55,
            expected: may, delay: 5),
        Rule(
            name: "an old Date counts",
            response: ["Cache-Control": "max-age=60", "Date": "Sun, 06 Nov 1994 08:48:37 GMT"], age: 0,
            expected: may),
        Rule(
            name: "a clock set back is no age", response: ["Cache-Control": "max-age=60"], age: -1000,
            expected: .fresh),
        Rule(
            name: "a tenth of the time since the last change",
            response: ["Date": date, "Last-Modified": "Sun, 06 Nov 1994 08:32:57 GMT"], age: 99,
            expected: .fresh),
        Rule(
            name: "and no more",
            response: ["Date": date, "Last-Modified": "Sun, 06 Nov 1994 08:32:57 GMT"], age: 100,
            expected: may),
        Rule(
            name: "the guess has a limit",
            response: ["Date": date, "Last-Modified": "Sun, 06 Nov 1904 08:32:57 GMT"], age: 86_400,
            expected: may),
        Rule(name: "nothing said, nothing known", response: [:], age: 0, expected: may),
        Rule(
            name: "the immutable policy asks nobody", response: [:], age: 1e9, expected: .fresh,
            policy: .immutable),
    ]

    static let binding: [Rule] = [
        Rule(
            name: "no-cache asks always", response: ["Cache-Control": "no-cache, max-age=60"], age: 1,
            expected: must),
        Rule(
            name: "must-revalidate while fresh", response: ["Cache-Control": "must-revalidate, max-age=60"],
            age: 1, expected: .fresh),
        Rule(
            name: "must-revalidate once stale",
            response: ["Cache-Control": "must-revalidate, max-age=60, stale-if-error=600"], age: 61,
            expected: must),
        Rule(
            name: "proxy-revalidate is for shared caches",
            response: ["Cache-Control": "proxy-revalidate, max-age=60"], age: 61, expected: may),
        Rule(
            name: "proxy-revalidate in a shared cache",
            response: ["Cache-Control": "proxy-revalidate, max-age=60"], age: 61, expected: must,
            policy: shared),
        Rule(
            name: "stale-while-revalidate within its time",
            response: ["Cache-Control": "max-age=60, stale-while-revalidate=30"], age: 90,
            expected: .stale(Staleness(whileRevalidating: true, offline: true))),
        Rule(
            name: "stale-while-revalidate after it",
            response: ["Cache-Control": "max-age=60, stale-while-revalidate=30"], age: 91, expected: may),
        Rule(
            name: "stale-if-error within its time",
            response: ["Cache-Control": "max-age=60, stale-if-error=30"],
            age: 90, expected: .stale(Staleness(onError: true, offline: true))),
        Rule(
            name: "stale-if-error after it", response: ["Cache-Control": "max-age=60, stale-if-error=30"],
            age: 91, expected: may),
        Rule(
            name: "immutable is not asked about", response: ["Cache-Control": "max-age=60, immutable"],
            age: 59,
            expected: .fresh, refreshes: true),
        Rule(
            name: "immutable, but over", response: ["Cache-Control": "max-age=60, immutable"], age: 61,
            expected: .stale(Staleness(onError: true, offline: true)), refreshes: true),
    ]

    static let requests: [Rule] = [
        Rule(
            name: "a refresh asks although it is fresh", response: ["Cache-Control": "max-age=60"], age: 1,
            expected: .stale(Staleness(onError: true, offline: true)), refreshes: true),
        Rule(
            name: "a refresh under the immutable policy", response: [:], age: 1,
            expected: .stale(Staleness(onError: true, offline: true)), policy: .immutable, refreshes: true),
        Rule(
            name: "request no-cache", response: ["Cache-Control": "max-age=60, stale-while-revalidate=60"],
            age: 1, expected: may, request: ["Cache-Control": "no-cache"]),
        Rule(
            name: "request Pragma", response: ["Cache-Control": "max-age=60"], age: 1, expected: may,
            request: ["Pragma": "no-cache"]),
        Rule(
            name: "request max-age", response: ["Cache-Control": "max-age=60"], age: 11, expected: may,
            request: ["Cache-Control": "max-age=10"]),
        Rule(
            name: "request min-fresh", response: ["Cache-Control": "max-age=60"], age: 51, expected: may,
            request: ["Cache-Control": "min-fresh=10"]),
        Rule(
            name: "request max-stale", response: ["Cache-Control": "max-age=60"], age: 70, expected: .fresh,
            request: ["Cache-Control": "max-stale=10"]),
        Rule(
            name: "request max-stale without a time", response: ["Cache-Control": "max-age=60"], age: 1e6,
            expected: .fresh, request: ["Cache-Control": "max-stale"]),
        Rule(
            name: "request max-stale does not bend must-revalidate",
            response: ["Cache-Control": "max-age=60, must-revalidate"], age: 61, expected: must,
            request: ["Cache-Control": "max-stale"]),
    ]

    static let variants: [Rule] = [
        Rule(
            name: "the same variant", response: ["Cache-Control": "max-age=60", "Vary": "Accept-Language"],
            age: 1,
            expected: .fresh, request: ["accept-language": "de"], sent: ["Accept-Language": "de"]),
        Rule(
            name: "another variant", response: ["Cache-Control": "max-age=60", "Vary": "Accept-Language"],
            age: 1,
            expected: .unusable, request: ["Accept-Language": "en"], sent: ["Accept-Language": "de"]),
        Rule(
            name: "a field that neither sent",
            response: ["Cache-Control": "max-age=60", "Vary": "Origin, Cookie"],
            age: 1, expected: .fresh),
        Rule(
            name: "a variant that nobody can name", response: ["Cache-Control": "max-age=60", "Vary": "*"],
            age: 1,
            expected: .unusable),
    ]

    @Test func anEntrysOwnExpiryEndsIt() {
        let metadata = EntryMetadata(storedAt: 0, expiresAt: 100)
        func answer(_ now: Double) -> Freshness {
            FreshnessQuestion(
                stored: FreshnessFacts(metadata), policy: .immutable, request: [:], refreshes: false, now: now
            ).answer
        }
        #expect(answer(99) == .fresh)
        #expect(answer(100) == .unusable)
    }

    @Test(arguments: [
        ("no-store", false, false, "", false), ("max-age=1", false, false, "", true),
        ("private", false, false, "", true), ("private", true, false, "", false),
        ("max-age=1", true, true, "", false), ("public", true, true, "", true),
        ("s-maxage=1", true, true, "", true), ("must-revalidate", true, true, "", true),
        ("max-age=1", false, true, "", true), ("max-age=1", false, false, "*", false),
    ])
    func whatMayBeStoredIsStored(
        _ control: String, _ isShared: Bool, _ isAuthorized: Bool, _ vary: String, _ expected: Bool
    ) {
        var metadata = EntryMetadata(storedAt: 0)
        metadata.responseHeaders = ["Vary": vary]
        metadata.responseHeaders.add("Cache-Control", control)
        let request: HTTPHeaders = isAuthorized ? ["Authorization": "Bearer x"] : [:]
        let policy = FreshnessPolicy.http(isShared: isShared)
        #expect(policy.allowsStoring(metadata, request: request) == expected)
        #expect(FreshnessPolicy.immutable.allowsStoring(metadata, request: request))
    }

    @Test func notModifiedRenewsTheStoredFields() {
        var old = EntryMetadata(
            storedAt: 10, sourceURL: "http://host/a",
            validators: Validators(entityTag: "\"1\"", lastModified: "yesterday"), extendedData: nil)
        old.responseHeaders = ["Cache-Control": "max-age=1", "Age": "7", "Vary": "Accept"]
        var head = EntryMetadata(storedAt: 50, requestedAt: 49)
        head.responseHeaders = ["Cache-Control": "max-age=100"]
        let updated = old.updated(by: head)
        #expect(updated.storedAt == 50)
        #expect(updated.requestedAt == 49)
        #expect(updated.validators == old.validators)
        #expect(updated.responseHeaders["Cache-Control"] == "max-age=100")
        #expect(updated.responseHeaders["Vary"] == "Accept")
        #expect(updated.responseHeaders["Age"] == nil)
        #expect(updated.sourceURL == old.sourceURL)
    }

    @Test(arguments: [
        ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777.0), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
        ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
        ("Thu, 29 Feb 2024 23:59:60 GMT", 1_709_251_200), ("sun, 06 nov 1994 08:49:37 gmt", 784_111_777),
        ("Fri, 31 Dec 1999 23:59:59 GMT", 946_684_799), ("Tue, 01-Jan-30 00:00:00 GMT", 1_893_456_000),
    ])
    func everyFormOfDateIsRead(_ text: String, _ expected: Double) {
        #expect(HTTPDate.seconds(text, now: 1_790_000_000) == expected)
    }

    @Test(arguments: [
        "", "0", "-1", "now", "Sun, 06 Nov 1994", "Sun, 06 Foo 1994 08:49:37 GMT",
        "Sun, 32 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Nov 1994 08:49:37 PST",
        "Sun, 06 Nov 99999999999999999999 08:49:37 GMT", "Sun, 06 Nov 1994 +8:49:37 GMT",
    ])
    func whatIsNoDateIsNone(_ text: String) {
        #expect(HTTPDate.seconds(text, now: 0) == nil)
    }
}
