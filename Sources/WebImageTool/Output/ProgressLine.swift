// SPDX-License-Identifier: MIT
internal import WebImage

/// The line at the bottom of the terminal while loads are under way, redrawn a few times a second.
final class ProgressLine: Sendable {
    private struct State: Sendable {
        var fractions: [Double]
        var received: [Int]
        var finished = 0
        var isShown = false
        var lastDrawn: Duration?
    }

    private static let interval = Duration.milliseconds(50)
    private let state: Locked<State>
    private let console: Console
    private let time: TimeSource

    init(count: Int, _ console: Console, time: TimeSource = .system) {
        self.console = console
        self.time = time
        state = Locked(
            State(
                fractions: Array(repeating: 0, count: count), received: Array(repeating: 0, count: count)))
        console.onLine { [weak self] in self?.clear() }
    }

    /// So many bytes of the load at `index` have come.
    func update(_ index: Int, received: Int, expected: Int?) {
        draw { state in
            state.received[index] = received
            guard let expected, expected > 0 else { return }
            state.fractions[index] = min(1, Double(received) / Double(expected))
        }
    }

    /// The load at `index` is over, well or not.
    func finish(_ index: Int) {
        draw { state in
            state.fractions[index] = 1
            state.finished += 1
        }
    }

    /// Takes the line away.
    func end() {
        console.onLine(nil)
        clear()
    }

    private func clear() {
        let wasShown = state.withLock { state -> Bool in
            defer { state.isShown = false }
            return state.isShown
        }
        if wasShown { console.writeProgress("\r\u{1B}[K") }
    }

    private func draw(_ change: (inout State) -> Void) {
        let now = time.monotonic()
        let columns = console.columns
        let line = state.withLock { state -> String? in
            change(&state)
            if let last = state.lastDrawn, now - last < Self.interval { return nil }
            state.lastDrawn = now
            state.isShown = true
            return Self.line(state.fractions, state.received, state.finished, columns: columns)
        }
        if let line { console.writeProgress("\r\(line)\u{1B}[K") }
    }

    /// The line's text, never wider than the terminal.
    static func line(_ fractions: [Double], _ received: [Int], _ finished: Int, columns: Int) -> String {
        let fraction = fractions.reduce(0, +) / Double(max(1, fractions.count))
        let bytes = received.reduce(ByteCount.zero) { $0 + ByteCount($1) }
        let numbers = " \(Int(fraction * 100)) %  \(finished)/\(fractions.count)  \(bytes)"
        let width = min(40, columns - numbers.count - 3)
        guard width >= 5 else { return String(numbers.dropFirst().prefix(max(0, columns - 1))) }
        let filled = Int((Double(width) * fraction).rounded(.down))
        return "[" + String(repeating: "#", count: filled) + String(repeating: ".", count: width - filled)
            + "]" + numbers
    }
}
