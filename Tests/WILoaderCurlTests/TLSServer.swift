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
        static let program: String? = ["/usr/bin/openssl", "/bin/openssl"].first { (path: String) in
            access(path, X_OK) == 0
        }

        struct Failure: Error {
            let what: String
        }

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
            let making = try Self.spawn(
                [
                    "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                    "-keyout",
                    "key.pem", "-out", "cert.pem", "-days", "2", "-subj", "/CN=localhost", "-addext",
                    "subjectAltName=DNS:localhost",
                ], in: path, output: -1)
            var status: Int32 = 0
            guard waitpid(making, &status, 0) == making, status == 0 else {
                throw Failure(what: "openssl req: \(status)")
            }
            var ends: [Int32] = [-1, -1]
            guard pipe(&ends) == 0 else { throw Failure(what: "pipe: \(errno)") }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            defer { for end in ends where end >= 0 { close(end) } }
            process = try Self.spawn(
                ["s_server", "-accept", "127.0.0.1:0", "-cert", "cert.pem", "-key", "key.pem", "-WWW"],
                in: path,
                output: ends[1])
            close(ends[1])
            ends[1] = -1
            guard let port = Self.port(from: ends[0]) else {
                kill(process, SIGKILL)
                waitpid(process, &status, 0)
                throw Failure(what: "openssl s_server does not listen")
            }
            self.port = port
        }

        deinit {
            var status: Int32 = 0
            kill(process, SIGKILL)
            waitpid(process, &status, 0)
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

        private static func spawn(_ arguments: [String], in folder: String, output: Int32) throws -> pid_t {
            guard let program else { throw Failure(what: "no openssl") }
            var actions = posix_spawn_file_actions_t()
            posix_spawn_file_actions_init(&actions)
            defer { posix_spawn_file_actions_destroy(&actions) }
            posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
            posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
            if output < 0 {
                posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
            } else {
                posix_spawn_file_actions_adddup2(&actions, output, 1)
            }
            var words: [UnsafeMutablePointer<CChar>?] =
                (["/bin/sh", "-c", "cd \"$0\" && exec \"$@\"", folder, program] + arguments).map {
                    strdup($0)
                } + [nil]
            defer { for word in words { free(word) } }
            var process: pid_t = 0
            let status = posix_spawn(&process, "/bin/sh", &actions, nil, &words, environ)
            guard status == 0 else { throw Failure(what: "posix_spawn: \(status)") }
            return process
        }
    }
#endif
