// SPDX-License-Identifier: MIT

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A TCP client that sends and receives bytes as they are: for tests of what goes over the wire.
///
/// Its calls block: use it inside `onOwnThread`.
package final class RawClient: Sendable {
    private let socket: Int32

    /// Connects to a port of 127.0.0.1.
    package init(port: UInt16) throws {
        socket = try ServerSocket.connect(port)
    }

    deinit { ServerSocket.close(socket) }

    /// Sends the text; false when the other side is gone.
    @discardableResult
    package func send(_ text: String) -> Bool {
        ServerSocket.send(Array(text.utf8)[...], on: socket)
    }

    /// Everything until the other side ends the connection; `wasReset` tells how it ended.
    package func receiveAll() -> (bytes: [UInt8], wasReset: Bool) {
        var bytes: [UInt8] = []
        errno = 0
        while let more = ServerSocket.receive(socket) {
            bytes += more
            errno = 0
        }
        return (bytes, errno == ECONNRESET)
    }

    /// What has arrived once at least `count` bytes have; less when the connection ends before.
    package func receive(atLeast count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count, let more = ServerSocket.receive(socket) { bytes += more }
        return bytes
    }
}

/// Runs blocking work on a thread of its own and comes back with its result.
package func onOwnThread<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws
    -> Result
{
    let result: Swift.Result<Result, any Error> = await withCheckedContinuation { continuation in
        do {
            let thread = try ServerThread.start {
                continuation.resume(returning: Swift.Result(catching: work))
            }
            thread.detach()
        } catch {
            continuation.resume(returning: .failure(error))
        }
    }
    return try result.get()
}
