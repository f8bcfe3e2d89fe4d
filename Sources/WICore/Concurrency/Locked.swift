// SPDX-License-Identifier: MIT
public import Synchronization

#if WI_TSAN
    public import RuntimeShim
#endif

/// State that is reachable only under its lock. The only lock type in the package.
///
/// Nothing that belongs to somebody else is called while it is held: decide under the lock, act after it.
/// `@unchecked Sendable`: the state is guarded by `mutex`, and the tag is touched only under it.
@usableFromInline
package struct Locked<State: ~Copyable>: ~Copyable, @unchecked Sendable {
    @usableFromInline let mutex: Mutex<State>
    #if WI_TSAN
        @usableFromInline let tag = UnsafeMutableRawPointer.allocate(byteCount: 8, alignment: 8)
        deinit { tag.deallocate() }
    #endif

    // Inlinable, in a type usable from inlined code: or every lock of another module runs unspecialised.
    @inlinable
    package init(_ state: consuming sending State) {
        mutex = Mutex(state)
    }

    @inlinable
    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        #if WI_TSAN
            // Mutex waits on a futex that ThreadSanitizer does not see: it is told by hand.
            try mutex.withLock { (state: inout sending State) throws(Failure) -> sending Result in
                wi_tsan_acquire(tag)
                defer { wi_tsan_release(tag) }
                return try body(&state)
            }
        #else
            try mutex.withLock(body)
        #endif
    }
}
