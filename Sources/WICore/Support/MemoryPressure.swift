// SPDX-License-Identifier: MIT

/// How short memory is.
public enum MemoryPressure: Int, Comparable, Hashable, Sendable {
    /// The system begins to take memory back from the process, or is about to.
    case moderate
    /// The process waits for memory, or is about to be killed for it.
    case critical

    /// By urgency.
    public static func < (left: MemoryPressure, right: MemoryPressure) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// What the system says about memory at one moment.
package struct MemoryReading: Hashable, Sendable {
    /// Share of the control group's limit that is in use; nil without a limit.
    package var share: Double?
    /// How often the group was held back at `memory.high`, and at `memory.max` or by a kill, since it was made.
    package var highEvents: Int?
    package var maxEvents: Int?
    /// Per cent of the last ten seconds in which some task, and in which all tasks, waited for memory.
    package var someStall = 0.0
    package var fullStall = 0.0
    /// Whether the system woke us because tasks are waiting for memory now.
    package var isStalled = false

    package init() {}

    /// What the groups say, and the machine where they say nothing.
    package init(_ groups: ControlGroups, proc: String = "/proc") {
        share = groups.share
        let own = groups.version2.reversed()
        if let events = own.lazy.compactMap({ ControlGroups.text("\($0)/memory.events") }).first {
            highEvents = ControlGroups.field("high", in: events)
            let (most, kills) = (
                ControlGroups.field("max", in: events), ControlGroups.field("oom_kill", in: events)
            )
            maxEvents = most.map { $0 &+ (kills ?? 0) }
        }
        let stall =
            own.lazy.compactMap { ControlGroups.text("\($0)/memory.pressure") }.first
            ?? ControlGroups.text("\(proc)/pressure/memory")
        someStall = stall.flatMap { Self.average("some", in: $0) } ?? 0
        fullStall = stall.flatMap { Self.average("full", in: $0) } ?? 0
    }

    /// `avg10` of a line such as `some avg10=0.12 avg60=0.03 avg300=0.00 total=4711`.
    private static func average(_ kind: String, in text: String) -> Double? {
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.first.map(String.init) == kind else { continue }
            let word = words.first { $0.hasPrefix("avg10=") }
            return word.flatMap { Double($0.dropFirst("avg10=".count)) }
        }
        return nil
    }
}

/// Decides from readings whether memory is short. A pure value.
package struct PressureJudge: Sendable {
    private var last: MemoryReading?

    package init() {}

    /// What a reading means, beside the one before it. The first tells only what it says by itself: counters may be old.
    package mutating func judge(_ reading: MemoryReading) -> MemoryPressure? {
        defer { last = reading }
        let share = reading.share ?? 0
        if share >= 0.97 || reading.fullStall >= 5 || rose(\.maxEvents, reading) { return .critical }
        if share >= 0.9 || reading.someStall >= 10 || reading.isStalled || rose(\.highEvents, reading) {
            return .moderate
        }
        return nil
    }

    private func rose(_ counter: KeyPath<MemoryReading, Int?>, _ reading: MemoryReading) -> Bool {
        guard let before = last?[keyPath: counter], let now = reading[keyPath: counter] else { return false }
        return now > before
    }
}
