// SPDX-License-Identifier: MIT
internal import RuntimeShim
internal import WICore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Looks after all caches of the process on one thread, which lives as long as there are any: memory caches give way when
/// memory is short, and what has expired goes also where nobody asks for it.
final class Upkeep: Sendable {
    static let shared = Upkeep()

    private struct Members: Sendable {
        weak var memory: MemoryCache?
        weak var disk: DiskCache?
    }

    private struct State: Sendable {
        var members: [Members] = []
        var isRunning = false
    }

    /// Between two sweeps.
    static let sweepInterval = Duration.seconds(60)
    private let state = Locked(State())
    private let startsThread: Bool

    /// Tests let the rounds come by hand.
    init(startsThread: Bool = true) { self.startsThread = startsThread }

    func add(_ cache: MemoryCache) { add(Members(memory: cache)) }
    func add(_ cache: DiskCache) { add(Members(disk: cache)) }

    private func add(_ members: Members) {
        let starts = state.withLock { state -> Bool in
            state.members.append(members)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard starts, startsThread else { return }
        // A system without threads to spare has other worries: the caches then go without.
        if DetachedThread.start(stackSize: 256 << 10, { [self] in run() }) != 0 {
            state.withLock { $0.isRunning = false }
        }
    }

    /// The caches that are still there; ends the thread when there are none.
    private func living() -> (memories: [MemoryCache], disks: [DiskCache])? {
        state.withLock { state -> (memories: [MemoryCache], disks: [DiskCache])? in
            state.members.removeAll { $0.memory == nil && $0.disk == nil }
            guard !state.members.isEmpty else {
                state.isRunning = false
                return nil
            }
            return (state.members.compactMap(\.memory), state.members.compactMap(\.disk))
        }
    }

    private func run() {
        wi_thread_set_name("webimage-upkeep")
        wi_thread_block_sigpipe()
        let watch = MemoryWatch()
        var judge = PressureJudge()
        var lastSweep = TimeSource.system.monotonic()
        while true {
            let pressure = judge.judge(watch.wait())
            let now = TimeSource.system.monotonic()
            let isSweepDue = now - lastSweep >= Self.sweepInterval
            if isSweepDue { lastSweep = now }
            guard round(pressure, sweeps: isSweepDue) else { return }
            // Where memory stays short, the next look need not come at once.
            if pressure != nil { usleep(500_000) }
        }
    }

    /// One look at all caches; false when there are none any more.
    func round(_ pressure: MemoryPressure?, sweeps: Bool) -> Bool {
        guard let (memories, disks) = living() else { return false }
        if let pressure {
            for cache in memories { cache.relieve(pressure) }
            ProcessMemory.releaseFree()
        }
        if sweeps {
            for cache in memories { cache.removeExpired() }
            for cache in disks { cache.sweep() }
        }
        return true
    }
}
