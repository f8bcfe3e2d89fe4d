// SPDX-License-Identifier: MIT

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A system call of the test server that failed.
package struct SystemCallError: Error, CustomStringConvertible {
    /// The call, for example `bind`.
    package let call: String
    /// What it left in `errno`.
    package let code: Int32

    /// The call and the system's sentence.
    package var description: String {
        "\(call) failed: \(strerror(code).map { String(cString: $0) } ?? "error \(code)")"
    }
}

/// A thread of the system with a small stack: blocking in it takes nothing from Swift's own pool.
///
/// `@unchecked Sendable`: the handle is a number (on Darwin a pointer) that is only passed to `pthread_join`.
struct ServerThread: @unchecked Sendable {
    #if canImport(Darwin)
        private let handle: pthread_t?
    #else
        private let handle: pthread_t
    #endif
    private static let stackBytes = 512 << 10

    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    static func start(_ run: @escaping @Sendable () -> Void) throws -> ServerThread {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setstacksize(&attributes, stackBytes)
        let body = Unmanaged.passRetained(Body(run))
        #if canImport(Darwin)
            var handle: pthread_t?
            let status = pthread_create(&handle, &attributes, { Self.enter($0) }, body.toOpaque())
        #else
            var handle = pthread_t()
            let status = pthread_create(
                &handle, &attributes, { $0.flatMap { Self.enter($0) } }, body.toOpaque())
        #endif
        guard status == 0 else {
            body.release()
            throw SystemCallError(call: "pthread_create", code: status)
        }
        return ServerThread(handle: handle)
    }

    private static func enter(_ body: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
        Unmanaged<Body>.fromOpaque(body).takeRetainedValue().run()
        return nil
    }

    /// Waits for the end of the thread; called once.
    func join() {
        #if canImport(Darwin)
            if let handle { pthread_join(handle, nil) }
        #else
            pthread_join(handle, nil)
        #endif
    }

    /// Lets the thread go when it ends; called once, in place of `join`.
    func detach() {
        #if canImport(Darwin)
            if let handle { pthread_detach(handle) }
        #else
            pthread_detach(handle)
        #endif
    }
}
