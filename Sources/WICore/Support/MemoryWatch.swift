// SPDX-License-Identifier: MIT

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Waits until the system says that memory is short, or some seconds have passed. Used by one thread.
package final class MemoryWatch {
    private let groups: ControlGroups
    /// Becomes readable out of band when a counter of the group's events has risen.
    private var events: Int32 = -1
    /// Likewise when tasks have waited for memory for 150 ms within 2 s.
    private var stall: Int32 = -1
    private static let trigger = "some 150000 2000000"

    /// Where the system does not wake us, it has to be asked.
    package init(groups: ControlGroups = ControlGroups(), proc: String = "/proc") {
        self.groups = groups
        for folder in groups.version2.reversed() where events < 0 {
            events = open("\(folder)/memory.events", O_RDONLY | O_CLOEXEC)
        }
        let pressures =
            groups.version2.reversed().map { "\($0)/memory.pressure" } + ["\(proc)/pressure/memory"]
        for path in pressures where stall < 0 { stall = Self.openTrigger(path) }
    }

    deinit { for descriptor in [events, stall] where descriptor >= 0 { close(descriptor) } }

    private static func openTrigger(_ path: String) -> Int32 {
        let descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return -1 }
        let bytes = Array(trigger.utf8) + [0]
        guard write(descriptor, bytes, bytes.count) == bytes.count else {
            close(descriptor)
            return -1
        }
        return descriptor
    }

    /// Seconds after which the system is asked although it did not wake us: a limit of the group is best looked at often.
    package var interval: Int { groups.limit != nil ? 5 : stall >= 0 ? 30 : 10 }

    /// What the system says, after it woke us or after ``interval``.
    package func wait() -> MemoryReading {
        var polled = [events, stall].map { pollfd(fd: $0, events: Int16(POLLPRI), revents: 0) }
        _ = poll(&polled, nfds_t(polled.count), Int32(interval * 1000))
        var isStalled = false
        if polled[1].revents & Int16(POLLERR) != 0 {
            // The group is gone: nothing will come from there any more.
            close(stall)
            stall = -1
        } else if polled[1].revents & Int16(POLLPRI) != 0 {
            isStalled = true
        }
        if events >= 0 {
            // Having been read is what makes it wake us again.
            var bytes = [UInt8](repeating: 0, count: 512)
            _ = pread(events, &bytes, bytes.count, 0)
        }
        var reading = MemoryReading(groups)
        reading.isStalled = isStalled
        return reading
    }
}
