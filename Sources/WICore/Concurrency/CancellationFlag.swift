// SPDX-License-Identifier: MIT
package import RuntimeShim

/// A flag that says "nobody wants this any more"; raised once, polled by loops in Swift and in C.
///
/// `@unchecked Sendable`: the memory is only touched by atomic operations and lives as long as the object.
package final class CancellationFlag: @unchecked Sendable {
    /// For C loops, valid while the object is.
    package let pointer: UnsafeMutablePointer<wi_flag>

    package init() {
        pointer = .allocate(capacity: 1)
        pointer.initialize(to: wi_flag(value: 0))
    }

    deinit { pointer.deallocate() }

    package var isRaised: Bool { wi_flag_is_raised(pointer) }
    package func raise() { wi_flag_raise(pointer) }
}
