// SPDX-License-Identifier: MIT
internal import RuntimeShim

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// How much memory the process may use: what its control group allows, or else what the machine has.
package enum ProcessMemory {
    private static let known = ByteCount(min(ControlGroups().limit ?? .max, physical))

    /// Found once, when first asked.
    package static func limit() -> ByteCount { known }

    /// Gives back to the system what is free: blocks kept for bodies and pictures to come, and what the allocator holds.
    package static func releaseFree() {
        BlockPool.pixels.drain()
        BlockPool.bodies.drain()
        wi_release_free_memory()
    }

    private static var physical: Int {
        let pages = sysconf(Int32(_SC_PHYS_PAGES)), size = sysconf(Int32(_SC_PAGESIZE))
        guard pages > 0, size > 0 else { return 1 << 30 }
        return pages * size
    }
}
