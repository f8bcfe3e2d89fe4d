// SPDX-License-Identifier: MIT
import FoundationEssentials
import WITestKit

#if canImport(Glibc)
    import Glibc
#endif

#if os(Linux)
    /// `openssl s_server` on loopback with a certificate that nobody trusts, made for the test for the name localhost
    /// alone; it serves one file.
    final class TLSServer: Sendable {
        static let program = Programs.find("openssl")

        let port: Int
        /// The certificate, which is its own authority.
        let certificate: String
        private let process: pid_t
        private let folder: TemporaryFolder

        /// Starts it and waits until it listens.
        static func start(serving body: [UInt8]) async throws -> TLSServer {
            try await onOwnThread { try TLSServer(body) }
        }

        private init(_ body: [UInt8]) throws {
            folder = try TemporaryFolder()
            let path = folder.path
            certificate = "\(path)/cert.pem"
            try Data(body).write(to: URL(filePath: "\(path)/picture"))
            try Programs.makeCertificate(in: path)
            var ends: [Int32] = [-1, -1]
            guard pipe(&ends) == 0 else { throw Programs.Failure(what: "pipe: \(errno)") }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            defer { for end in ends where end >= 0 { close(end) } }
            process = try Programs.spawn(
                Self.program,
                ["s_server", "-accept", "127.0.0.1:0", "-cert", "cert.pem", "-key", "key.pem", "-WWW"],
                in: path, descriptors: [1: ends[1]])
            close(ends[1])
            ends[1] = -1
            guard let port = Self.port(from: ends[0]) else {
                Programs.end(process)
                throw Programs.Failure(what: "openssl s_server does not listen")
            }
            self.port = port
        }

        deinit {
            Programs.end(process)
        }

        /// Reads `ACCEPT 127.0.0.1:12345`.
        private static func port(from file: Int32) -> Int? {
            var text = ""
            var buffer = [UInt8](repeating: 0, count: 512)
            while true {
                let count = read(file, &buffer, buffer.count)
                guard count > 0 else { return nil }
                text += String(decoding: buffer[..<count], as: UTF8.self)
                let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
                for line in lines where line.hasPrefix("ACCEPT") {
                    return line.split(separator: ":").last.flatMap { Int($0) }
                }
            }
        }
    }
#endif
