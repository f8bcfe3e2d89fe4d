// SPDX-License-Identifier: MIT
import WITestKit

#if canImport(Glibc)
    import Glibc
#endif

#if os(Linux)
    /// Programs of the system that tests talk to. Its calls block: use them inside `onOwnThread`.
    enum Programs {
        struct Failure: Error {
            let what: String
        }

        /// Where a program is; nil where it is not installed.
        static func find(_ name: String) -> String? {
            ["/usr/bin/", "/bin/", "/usr/sbin/", "/sbin/", "/usr/local/bin/"].map { $0 + name }
                .first { (path: String) in access(path, X_OK) == 0 }
        }

        /// Starts a program in a folder; `descriptors` are those that it has beside an empty standard input and silent outputs.
        static func spawn(
            _ program: String?, _ arguments: [String], in folder: String, descriptors: [Int32: Int32] = [:],
            environment: [String] = []
        ) throws -> pid_t {
            guard let program else { throw Failure(what: "The program is not installed.") }
            var actions = posix_spawn_file_actions_t()
            posix_spawn_file_actions_init(&actions)
            defer { posix_spawn_file_actions_destroy(&actions) }
            posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
            for number: Int32 in 1...2 where descriptors[number] == nil {
                posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_WRONLY, 0)
            }
            for (number, own) in descriptors { posix_spawn_file_actions_adddup2(&actions, own, number) }
            var words: [UnsafeMutablePointer<CChar>?] =
                (["/bin/sh", "-c", "cd \"$0\" && exec \"$@\"", folder, program] + arguments).map {
                    strdup($0)
                } + [nil]
            var variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup($0) } + [nil]
            defer { for word in words + variables { free(word) } }
            var process: pid_t = 0
            let status = posix_spawn(&process, "/bin/sh", &actions, nil, &words, &variables)
            guard status == 0 else { throw Failure(what: "posix_spawn: \(status)") }
            return process
        }

        /// Runs a program to its end.
        static func run(_ program: String?, _ arguments: [String], in folder: String) throws {
            let process = try spawn(program, arguments, in: folder)
            var status: Int32 = 0
            guard waitpid(process, &status, 0) == process, status == 0 else {
                throw Failure(what: "\(program ?? "") \(arguments.first ?? ""): \(status)")
            }
        }

        /// Ends a program that was started here.
        static func end(_ process: pid_t, by signal: Int32 = SIGKILL) {
            var status: Int32 = 0
            kill(process, signal)
            waitpid(process, &status, 0)
        }

        /// Makes `cert.pem`, which is its own authority, and `key.pem` for the name localhost alone.
        static func makeCertificate(in folder: String) throws {
            try run(
                find("openssl"),
                [
                    "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                    "-keyout",
                    "key.pem", "-out", "cert.pem", "-days", "2", "-subj", "/CN=localhost", "-addext",
                    "subjectAltName=DNS:localhost",
                ], in: folder)
        }
    }
#endif
