// SPDX-License-Identifier: MIT
internal import WITestKit
internal import WebImage

/// All samples loaded once, from one place.
struct DemoRound: Sendable {
    let name: String
    let outcomes: [DemoOutcome]
    let duration: Duration
    /// Requests that reached the server meanwhile.
    let requests: Int
}

/// The figures of a demo.
struct DemoSummary: Sendable {
    let rounds: [DemoRound]
    let requests: Int
    let connections: Int
    let mostAtOnce: Int
    let sent: ByteCount

    init(rounds: [DemoRound], _ server: ScriptedServer) {
        self.rounds = rounds
        requests = server.requests.count
        connections = server.connectionCount
        mostAtOnce = server.maxConcurrentRequests
        sent = ByteCount(Set(server.requests.map(\.path)).reduce(0) { $0 + server.bytesSent($1) })
    }

    /// What is printed.
    var lines: [String] {
        func counted(_ count: Int, _ word: String) -> String { "\(count) \(word)\(count == 1 ? "" : "s")" }
        let table = rounds.map { round in
            "  \(padded(round.name, 8)) \(padded(String(round.outcomes.count), -3)) URLs in "
                + "\(padded(readable(round.duration), -7)), \(counted(round.requests, "request"))"
        }
        return table + [
            "  The server saw \(counted(requests, "request")) on \(counted(connections, "connection")), at most \(mostAtOnce) at once, "
                + "and sent \(sent)."
        ]
    }
}

extension DemoSummary {
    /// The same for machines.
    func json(_ output: RawText, _ size: PixelSize) -> JSONValue {
        .object([
            .init("output", .string(output.text)), .init("width", .integer(size.width)),
            .init("height", .integer(size.height)),
            .init("rounds", .array(rounds.map(Self.json))),
            .init("pictures", .array((rounds.first?.outcomes ?? []).map(Self.json))),
            .init(
                "server",
                .object([
                    .init("requests", .integer(requests)), .init("connections", .integer(connections)),
                    .init("mostAtOnce", .integer(mostAtOnce)), .init("bytes", .integer(sent.bytes)),
                ])),
        ])
    }

    private static func json(_ round: DemoRound) -> JSONValue {
        .object([
            .init("from", .string(round.name)), .init("urls", .integer(round.outcomes.count)),
            .init("microseconds", .integer(microseconds(round.duration))),
            .init("requests", .integer(round.requests)),
        ])
    }

    private static func json(_ outcome: DemoOutcome) -> JSONValue {
        var fields: [JSONValue.Field] = [
            .init("name", .string(outcome.sample.name)), .init("outcome", .string(outcome.kind.rawValue)),
            .init("microseconds", .integer(microseconds(outcome.duration))),
        ]
        if let image = outcome.image {
            fields.append(.init("format", image.format.map { .string($0.name) } ?? .null))
            fields.append(.init("width", .integer(image.metadata.storedSize.width)))
            fields.append(.init("height", .integer(image.metadata.storedSize.height)))
        }
        if let error = outcome.error {
            fields.append(
                .init(
                    "error",
                    .object([
                        .init("code", .string(error.code.rawValue)), .init("message", .string(error.message)),
                    ])))
        }
        return .object(fields)
    }

    private static func microseconds(_ duration: Duration) -> Int {
        Int(
            clamping: duration.components.seconds &* 1_000_000 &+ duration.components.attoseconds
                / 1_000_000_000_000)
    }
}
