// SPDX-License-Identifier: MIT
import FoundationEssentials
import WITestKit

#if canImport(Glibc)
    import Glibc
#endif

#if os(Linux)
    /// nginx on loopback with a configuration and a certificate of the test's own.
    ///
    /// It is handed its listening sockets: they have free ports, and take connections before it is ready.
    final class NginxServer: Sendable {
        static let program = Programs.find("nginx")
        static var isPresent: Bool { program != nil && TLSServer.program != nil }

        let port: Int
        let tlsPort: Int
        /// Asks clients for a certificate.
        let strictPort: Int
        /// A unix-domain socket.
        var socket: String { folder.path + "/socket" }
        /// The certificate, which is its own authority.
        var certificate: String { folder.path + "/cert.pem" }
        var key: String { folder.path + "/key.pem" }
        private let process: pid_t
        private let folder: TemporaryFolder

        /// Puts a file in the place of one that is served: another one, with another `ETag`.
        func replace(_ name: String, with bytes: [UInt8]) throws {
            let path = folder.path + "/www/" + name
            try Data(bytes).write(to: URL(filePath: path + ".new"))
            guard rename(path + ".new", path) == 0 else { throw Programs.Failure(what: "rename: \(errno)") }
        }

        /// Starts it with these files.
        static func start(_ files: [String: [UInt8]]) async throws -> NginxServer {
            try await onOwnThread { try NginxServer(files) }
        }

        private init(_ files: [String: [UInt8]]) throws {
            folder = try TemporaryFolder()
            let path = folder.path
            try Programs.makeCertificate(in: path)
            for name in ["www", "tmp"] { mkdir(path + "/" + name, 0o700) }
            for (name, bytes) in files { try Data(bytes).write(to: URL(filePath: path + "/www/" + name)) }
            try Data("me:{PLAIN}secret\n".utf8).write(to: URL(filePath: path + "/users"))
            var listeners = try (0..<3).map { _ in try Self.listen() }
            defer { for listener in listeners { close(listener.socket) } }
            (port, tlsPort, strictPort) = (listeners[0].port, listeners[1].port, listeners[2].port)
            listeners.append((try Self.listen(path + "/socket"), 0))
            let text = Self.configuration(port, tlsPort, strictPort, path + "/socket")
            try Data(text.utf8).write(to: URL(filePath: path + "/nginx.conf"))
            let numbers = listeners.indices.map { Int32(200 + $0) }
            process = try Programs.spawn(
                Self.program, ["-p", path + "/", "-c", "nginx.conf", "-e", "error.log"], in: path,
                descriptors: Dictionary(uniqueKeysWithValues: zip(numbers, listeners.map(\.socket))),
                environment: ["NGINX=" + numbers.map { "\($0);" }.joined()])
        }

        // Its worker is its own to end.
        deinit { Programs.end(process, by: SIGTERM) }

        private static func configuration(_ port: Int, _ tls: Int, _ strict: Int, _ socket: String) -> String
        {
            """
            daemon off; user root; worker_processes 1; pid nginx.pid; error_log error.log;
            events { worker_connections 256; }
            http {
              access_log off; default_type image/png; etag on; keepalive_requests 5;
              client_body_temp_path tmp; proxy_temp_path tmp; fastcgi_temp_path tmp;
              uwsgi_temp_path tmp; scgi_temp_path tmp;
              ssl_certificate cert.pem; ssl_certificate_key key.pem;
              server {
                listen 127.0.0.1:\(port); listen unix:\(socket); root www;
                location /compressed/ { alias www/; gzip on; gzip_min_length 1; gzip_types *; }
                location /private/ { alias www/; auth_basic pictures; auth_basic_user_file users; }
              }
              server { listen 127.0.0.1:\(tls) ssl http2; root www; keepalive_requests 10000; }
              server {
                listen 127.0.0.1:\(strict) ssl; root www;
                ssl_client_certificate cert.pem; ssl_verify_client on;
              }
            }

            """
        }

        private static func listen() throws -> (socket: Int32, port: Int) {
            let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isBound = withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(socket, $0, length) == 0 && Glibc.listen(socket, 128) == 0
                        && getsockname(socket, $0, &length) == 0
                }
            }
            guard isBound else { throw Programs.Failure(what: "listen: \(errno)") }
            return (socket, Int(UInt16(bigEndian: address.sin_port)))
        }

        private static func listen(_ path: String) throws -> Int32 {
            let socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) {
                $0.copyBytes(from: path.utf8.prefix($0.count - 1))
            }
            let isBound = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
                        && Glibc.listen(socket, 128) == 0
                }
            }
            guard isBound else { throw Programs.Failure(what: "listen: \(errno)") }
            return socket
        }
    }
#endif
