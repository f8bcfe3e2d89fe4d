// SPDX-License-Identifier: MIT

/// Prints an array of objects one by one, so that a long list need not be held.
struct JSONListWriter {
    private let console: Console
    private var pending: String?

    init(_ console: Console) { self.console = console }

    mutating func add(_ value: JSONValue) {
        console.print(pending.map { $0 + "," } ?? "[")
        pending = value.text.split(separator: "\n", omittingEmptySubsequences: false).map { "  " + $0 }
            .joined(separator: "\n")
    }

    func end() {
        if let pending { console.print(pending + "\n]") } else { console.print("[]") }
    }
}
