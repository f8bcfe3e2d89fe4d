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
        let table = rounds.map { round in
            "  \(padded(round.name, 8)) \(padded(String(round.outcomes.count), -3)) pictures in "
                + "\(padded(readable(round.duration), -7)), \(round.requests) requests"
        }
        return table + [
            "  The server saw \(requests) requests on \(connections) connections, at most \(mostAtOnce) at once, "
                + "and sent \(sent)."
        ]
    }
}
