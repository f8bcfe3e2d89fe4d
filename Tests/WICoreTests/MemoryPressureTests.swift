// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WITestKit

@testable import WICore

/// A machine in a folder: what lies in /proc and /sys/fs/cgroup there.
private struct Machine {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    var proc: String { folder.path + "/proc" }
    var groups: ControlGroups { ControlGroups(proc: proc, mount: folder.path + "/cgroup") }
    var reading: MemoryReading { MemoryReading(groups, proc: proc) }

    func write(_ name: String, _ text: String) throws {
        let path = folder.path + "/" + name
        let parent = path.split(separator: "/").dropLast().joined(separator: "/")
        try FileManager.default.createDirectory(
            at: URL(filePath: "/" + parent), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(filePath: path))
    }
}

@Suite struct MemoryPressureTests {
    @Test func theTightestLimitOfAllGroupsAboveCountsInVersion2() throws {
        let machine = try Machine()
        try machine.write("proc/self/cgroup", "0::/user/app\n")
        try machine.write("cgroup/user/memory.max", "max\n")
        try machine.write("cgroup/user/memory.high", "1000000\n")
        try machine.write("cgroup/user/app/memory.max", "2000000\n")
        #expect(machine.groups.limit == 1_000_000)
        #expect(machine.reading.share == nil)
        try machine.write("cgroup/user/memory.current", "900000\n")
        try machine.write("cgroup/user/memory.stat", "anon 5\ninactive_file 400000\nactive_file 7\n")
        try machine.write("cgroup/user/app/memory.current", "300000\n")
        #expect(machine.reading.share == 0.5)
    }

    @Test func version1HasLimitsAndUseToo() throws {
        let machine = try Machine()
        try machine.write("proc/self/cgroup", "8:pids:/\n4:cpu,memory:/box\n0::/\n")
        try machine.write("cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n")
        try machine.write("cgroup/memory/box/memory.limit_in_bytes", "1000\n")
        try machine.write("cgroup/memory/box/memory.usage_in_bytes", "950\n")
        try machine.write("cgroup/memory/box/memory.stat", "total_inactive_file 50\n")
        #expect(machine.groups.limit == 1000)
        #expect(machine.reading.share == 0.9)
    }

    @Test func eventsAndStallsAreThoseOfTheOwnGroupOrElseTheMachines() throws {
        let machine = try Machine()
        try machine.write("proc/self/cgroup", "0::/app\n")
        let stall =
            "some avg10=12.50 avg60=0.00 avg300=0.00 total=9\nfull avg10=1.25 avg60=0 avg300=0 total=1\n"
        try machine.write("proc/pressure/memory", stall)
        #expect(machine.reading.someStall == 12.5)
        #expect(machine.reading.fullStall == 1.25)
        #expect(machine.reading.highEvents == nil)
        try machine.write("cgroup/app/memory.events", "low 0\nhigh 3\nmax 4\noom 0\noom_kill 1\n")
        try machine.write("cgroup/app/memory.pressure", stall.replacing("12.50", with: "0.00"))
        #expect(machine.reading.someStall == 0)
        #expect(machine.reading.highEvents == 3)
        #expect(machine.reading.maxEvents == 5)
    }

    @Test func aMachineThatSaysNothingOrNonsenseIsNotShortOfMemory() throws {
        let machine = try Machine()
        var judge = PressureJudge()
        #expect(machine.groups.limit == nil)
        #expect(judge.judge(machine.reading) == nil)
        try machine.write("proc/self/cgroup", "nonsense\n:::\n0::/\n")
        try machine.write("proc/pressure/memory", "some\nfull avg10=x\n")
        try machine.write("cgroup/memory.events", "high\nmax many\n")
        #expect(judge.judge(machine.reading) == nil)
        #expect(machine.reading == MemoryReading())
    }

    private static func reading(_ change: (inout MemoryReading) -> Void) -> MemoryReading {
        var reading = MemoryReading()
        change(&reading)
        return reading
    }

    @Test(
        arguments: [
            (reading { $0.share = 0.89 }, nil), (reading { $0.share = 0.9 }, MemoryPressure.moderate),
            (reading { $0.share = 0.97 }, .critical), (reading { $0.someStall = 9.9 }, nil),
            (reading { $0.someStall = 10 }, .moderate), (reading { $0.fullStall = 5 }, .critical),
            (reading { $0.isStalled = true }, .moderate),
            // Counters tell of the past as long as there is nothing to compare them with.
            (reading { $0.highEvents = 100 }, nil), (reading { $0.maxEvents = 100 }, nil),
        ] as [(MemoryReading, MemoryPressure?)])
    func oneReadingSaysWhetherMemoryIsShort(_ reading: MemoryReading, _ expected: MemoryPressure?) {
        var judge = PressureJudge()
        #expect(judge.judge(reading) == expected)
    }

    @Test func aCounterThatRoseSaysSoOnce() {
        var judge = PressureJudge()
        func judged(_ high: Int?, _ most: Int?) -> MemoryPressure? {
            judge.judge(
                Self.reading {
                    $0.highEvents = high
                    $0.maxEvents = most
                })
        }
        #expect(judged(5, 5) == nil)
        #expect(judged(6, 5) == .moderate)
        #expect(judged(6, 5) == nil)
        #expect(judged(9, 6) == .critical)
        #expect(judged(nil, nil) == nil)
        #expect(judged(100, 100) == nil)
        // A group that was made anew counts from the start.
        #expect(judged(1, 1) == nil)
    }
}
