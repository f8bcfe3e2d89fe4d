// SPDX-License-Identifier: MIT

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The socket calls of the test server, by file descriptor; no call raises SIGPIPE.
enum ServerSocket {
    /// What ended a wait on a connection.
    enum Wake {
        case timeout, woken, peerGone
    }

    #if canImport(Glibc)
        private static let stream = Int32(SOCK_STREAM.rawValue)
        private static let noSignal = Int32(MSG_NOSIGNAL)
        private static let tcp = Int32(IPPROTO_TCP)
        // POLLRDHUP, which stands behind _GNU_SOURCE.
        private static let peerClosed: Int16 = 0x2000
    #else
        private static let stream = SOCK_STREAM
        private static let noSignal: Int32 = 0
        private static let tcp = IPPROTO_TCP
        private static let peerClosed: Int16 = 0
    #endif

    /// A socket that listens on a free port of 127.0.0.1, and that port.
    static func listen() throws -> (socket: Int32, port: UInt16) {
        let socket = socket(AF_INET, stream, 0)
        guard socket >= 0 else { throw SystemCallError(call: "socket", code: errno) }
        do {
            closeOnExec(socket)
            var address = loopback(port: 0)
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            try withUnsafeMutablePointer(to: &address) {
                try $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    try check("bind", bind(socket, $0, length))
                    try check("listen", Self.systemListen(socket))
                    try check("getsockname", getsockname(socket, $0, &length))
                }
            }
            return (socket, UInt16(bigEndian: address.sin_port))
        } catch {
            close(socket)
            throw error
        }
    }

    /// A socket that is connected to a port of 127.0.0.1.
    static func connect(_ port: UInt16) throws -> Int32 {
        let socket = socket(AF_INET, stream, 0)
        guard socket >= 0 else { throw SystemCallError(call: "socket", code: errno) }
        closeOnExec(socket)
        var address = loopback(port: port)
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                systemConnect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else {
            defer { close(socket) }
            throw SystemCallError(call: "connect", code: errno)
        }
        return socket
    }

    private static func loopback(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        address.sin_port = port.bigEndian
        return address
    }

    private static func systemConnect(
        _ socket: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t
    ) -> Int32 {
        #if canImport(Glibc)
            Glibc.connect(socket, address, length)
        #else
            Darwin.connect(socket, address, length)
        #endif
    }

    private static func systemListen(_ socket: Int32) -> Int32 {
        #if canImport(Glibc)
            Glibc.listen(socket, 1024)
        #else
            Darwin.listen(socket, 1024)
        #endif
    }

    private static func check(_ call: String, _ status: Int32) throws {
        guard status == 0 else { throw SystemCallError(call: call, code: errno) }
    }

    private static func closeOnExec(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    /// The next connection, or nil once the listening socket was shut down.
    static func accept(_ listener: Int32) -> Int32? {
        while true {
            #if canImport(Glibc)
                let socket = Glibc.accept(listener, nil, nil)
            #else
                let socket = Darwin.accept(listener, nil, nil)
            #endif
            if socket >= 0 {
                closeOnExec(socket)
                var on: Int32 = 1
                setsockopt(socket, tcp, TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
                #if canImport(Darwin)
                    setsockopt(socket, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
                #endif
                return socket
            }
            guard errno == EINTR || errno == ECONNABORTED else { return nil }
        }
    }

    /// A pipe that wakes a waiting thread, or nil.
    static func pipe() -> (read: Int32, write: Int32)? {
        var ends: [Int32] = [0, 0]
        #if canImport(Glibc)
            guard Glibc.pipe(&ends) == 0 else { return nil }
        #else
            guard Darwin.pipe(&ends) == 0 else { return nil }
        #endif
        ends.forEach(closeOnExec)
        return (ends[0], ends[1])
    }

    /// Bytes that have arrived, at most 16 KB; nil when the peer closed or the connection failed.
    static func receive(_ socket: Int32) -> [UInt8]? {
        let bytes = [UInt8](unsafeUninitializedCapacity: 16 << 10) { buffer, count in
            var received = recv(socket, buffer.baseAddress, buffer.count, 0)
            while received < 0 && errno == EINTR {
                received = recv(socket, buffer.baseAddress, buffer.count, 0)
            }
            count = max(0, received)
        }
        return bytes.isEmpty ? nil : bytes
    }

    /// Sends all bytes; false when the peer is gone.
    ///
    /// `progress` hears of each part that the system took.
    static func send(_ bytes: ArraySlice<UInt8>, on socket: Int32, progress: (Int) -> Void = { _ in }) -> Bool
    {
        bytes.withUnsafeBytes { buffer in
            var sent = 0
            while sent < buffer.count {
                let part = UnsafeRawBufferPointer(rebasing: buffer[sent..<min(buffer.count, sent + 64 << 10)])
                #if canImport(Glibc)
                    let count = Glibc.send(socket, part.baseAddress, part.count, noSignal)
                #else
                    let count = Darwin.send(socket, part.baseAddress, part.count, noSignal)
                #endif
                if count < 0 && errno == EINTR { continue }
                guard count > 0 else { return false }
                sent += count
                progress(count)
            }
            return true
        }
    }

    /// Waits until a byte is in `wake`, the peer closes, or the time is over (nil: no limit).
    ///
    /// Takes the byte.
    static func wait(_ socket: Int32, wake: Int32, milliseconds: Int32?) -> Wake {
        var descriptors = [
            pollfd(fd: socket, events: peerClosed, revents: 0),
            pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
        ]
        var status = poll(&descriptors, 2, milliseconds ?? -1)
        while status < 0 && errno == EINTR { status = poll(&descriptors, 2, milliseconds ?? -1) }
        if descriptors[0].revents != 0 { return .peerGone }
        guard descriptors[1].revents != 0 else { return .timeout }
        var byte: UInt8 = 0
        _ = read(wake, &byte, 1)
        return .woken
    }

    /// Wakes the thread that waits with this pipe.
    static func signal(_ wake: Int32) {
        var byte: UInt8 = 1
        _ = write(wake, &byte, 1)
    }

    /// Makes the close that follows a reset instead of an orderly end.
    static func resetOnClose(_ socket: Int32) {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
    }

    /// Ends both directions: every thread that is blocked in the socket wakes.
    static func shutDown(_ socket: Int32) {
        shutdown(socket, Int32(SHUT_RDWR))
    }

    static func close(_ descriptor: Int32) {
        #if canImport(Glibc)
            _ = Glibc.close(descriptor)
        #else
            _ = Darwin.close(descriptor)
        #endif
    }
}
