// SPDX-License-Identifier: MIT
import Dispatch
import FoundationEssentials
import Glibc
import WITestKit

@testable import WebImageTool

/// Runs the built tool as a user does: a process of its own.
struct ToolRunner: Sendable {
    struct Outcome: Sendable {
        let status: Int32
        let output: Data
        let complaints: String

        var text: String { String(decoding: output, as: UTF8.self) }
        /// Standard error, line by line.
        var sentences: [String] { complaints.split(separator: "\n").map(String.init) }
    }

    /// A folder of this runner's own that goes with it; home and cache of the tool lie in it.
    private let temporary: TemporaryFolder
    var folder: String { temporary.path }

    init() throws { temporary = try TemporaryFolder() }

    func path(_ name: String) -> String { folder + "/" + name }

    /// The tool that was built with these tests.
    static let executable = built("webimage")

    /// A program that was built with these tests.
    static func built(_ name: String) -> String {
        let test = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return test.prefix(through: test.lastIndex(of: "/") ?? test.startIndex) + name
    }

    func run(_ arguments: String..., input: Data = Data()) async throws -> Outcome {
        try await run(arguments.map { RawText($0) }, input: input)
    }

    /// Runs the tool, or another program, with further variables in its environment.
    func run(
        _ arguments: [String], program: String? = nil, environment: [String: String] = [:]
    ) async throws -> Outcome {
        try await run(arguments.map { RawText($0) }, program: program, environment: environment)
    }

    /// Runs the tool to its end, on a thread that may wait; without the descriptors `closed`.
    func run(
        _ arguments: [RawText], input: Data = Data(), closed: [Int32] = [], program: String? = nil,
        environment: [String: String] = [:]
    ) async throws -> Outcome {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(
                    with: Result {
                        try runNow(program ?? Self.executable, arguments, input, closed, environment)
                    })
            }
        }
    }

    private func runNow(
        _ program: String, _ arguments: [RawText], _ input: Data, _ closed: [Int32],
        _ environment: [String: String]
    ) throws -> Outcome {
        // Files instead of pipes: nothing has to be read while the process runs.
        let unique = path(".run-\(UInt64.random(in: .min ... .max))")
        let names = [unique + ".in", unique + ".out", unique + ".err"]
        defer { for name in names { unlink(name) } }
        try input.write(to: URL(filePath: names[0]))
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, names[0], O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, names[1], O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        posix_spawn_file_actions_addopen(&actions, 2, names[2], O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        for descriptor in closed { posix_spawn_file_actions_addclose(&actions, descriptor) }
        let name = program == Self.executable ? "webimage" : program
        let pid = try spawn(program, [RawText(name)] + arguments, environment, &actions)
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        let isExit = status & 0x7F == 0
        return Outcome(
            status: isExit ? status >> 8 & 0xFF : -(status & 0x7F),
            output: try Data(contentsOf: URL(filePath: names[1])),
            complaints: String(decoding: try Data(contentsOf: URL(filePath: names[2])), as: UTF8.self))
    }

    /// Starts the tool, lets `act` do to it what it wants, with the reading end of its standard output, and waits.
    ///
    /// - Returns: the exit status, or the signal that ended it, negative.
    func start(_ arguments: String..., act: @escaping @Sendable (pid_t, Int32) -> Void) async throws
        -> Int32
    {
        try await onOwnThread {
            var ends: [Int32] = [-1, -1]
            // Not a pipe: its ends could be inherited by a tool that another test starts just now.
            let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
            guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw POSIXError(.EMFILE) }
            defer { close(ends[0]) }
            var actions = posix_spawn_file_actions_t()
            posix_spawn_file_actions_init(&actions)
            defer { posix_spawn_file_actions_destroy(&actions) }
            posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
            posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
            let pid = try spawn(
                Self.executable, [RawText("webimage")] + arguments.map { RawText($0) }, [:], &actions)
            close(ends[1])
            act(pid, ends[0])
            var status: Int32 = 0
            while waitpid(pid, &status, 0) < 0, errno == EINTR {}
            return status & 0x7F == 0 ? status >> 8 & 0xFF : -(status & 0x7F)
        }
    }

    private func spawn(
        _ program: String, _ arguments: [RawText], _ more: [String: String],
        _ actions: inout posix_spawn_file_actions_t
    ) throws -> pid_t {
        let inherited = ProcessInfo.processInfo.environment.filter {
            !$0.key.hasPrefix("XDG_") && $0.key != "HOME"
        }
        let environment =
            inherited.merging(["HOME": folder, "TMPDIR": folder, "TERM": "dumb"]) { $1 }.merging(more) { $1 }
            .map { "\($0.key)=\($0.value)" }
        let argv =
            arguments.map { argument -> UnsafeMutablePointer<CChar>? in argument.withPath { strdup($0) } } + [
                nil
            ]
        let envp = environment.map { text -> UnsafeMutablePointer<CChar>? in strdup(text) } + [nil]
        defer { for pointer in argv + envp { free(pointer) } }
        var pid: pid_t = 0
        let number = posix_spawn(&pid, program, &actions, nil, argv, envp)
        guard number == 0 else { throw POSIXError(.init(rawValue: number) ?? .EIO) }
        return pid
    }
}
