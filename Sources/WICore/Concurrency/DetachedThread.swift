// SPDX-License-Identifier: MIT

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A thread of our own that nobody joins.
package enum DetachedThread {
    private final class Start {
        let body: () -> Void
        init(_ body: @escaping () -> Void) { self.body = body }
    }

    /// Runs `body` on a new thread; its references are let go of there.
    ///
    /// - Returns: 0, or the error number when the system gives no thread; `body` is then not called.
    package static func start(stackSize: Int? = nil, _ body: sending @escaping () -> Void) -> Int32 {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        if let stackSize { pthread_attr_setstacksize(&attributes, stackSize) }
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        let start = Unmanaged.passRetained(Start(body))
        let status = pthread_create(
            &thread, &attributes,
            { argument in
                let pointer: UnsafeMutableRawPointer? = argument
                guard let pointer else { return nil }
                Unmanaged<Start>.fromOpaque(pointer).takeRetainedValue().body()
                return nil
            }, start.toOpaque())
        if status != 0 { start.release() }
        return status
    }
}
