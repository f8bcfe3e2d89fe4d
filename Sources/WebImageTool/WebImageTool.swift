// SPDX-License-Identifier: MIT
internal import WebImage

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The command-line tool: finds the command, hands it its arguments, ends with its status.
@main
struct WebImageTool {
    static let version = "0.1.0"

    static let commands: [any Command.Type] = [
        LoadCommand.self, ConvertCommand.self, FramesCommand.self, InfoCommand.self, CacheCommand.self,
        PaletteCommand.self, ThumbHashCommand.self, ExplainCommand.self,
        DemoCommand.self,
    ]

    /// Synchronous, so that commands without a network start no concurrency, and the first thread stays the process's own.
    static func main() {
        StandardStreams.fillGaps()
        Interruption.watch()
        let console = Console()
        exit(run(rawArguments(), console).rawValue)
    }

    /// The arguments as bytes: Swift's own list repairs invalid UTF-8, and such names would not open any more.
    private static func rawArguments() -> [RawText] {
        (1..<max(1, Int(CommandLine.argc))).compactMap { index in
            CommandLine.unsafeArgv[index].map { pointer in
                RawText(Array(UnsafeRawBufferPointer(start: pointer, count: strlen(pointer))))
            }
        }
    }

    static func run(_ arguments: [RawText], _ console: Console) -> ExitStatus {
        guard let first = arguments.first else {
            console.note("There is no command; webimage --help lists them.")
            return .usage
        }
        do throws(UsageError) {
            if first.bytes.first == UInt8(ascii: "-") { return try runGlobal(arguments, console) }
            if first == "help" { return try help(arguments.dropFirst().first, console) }
            return try run(command(first), Array(arguments.dropFirst()), console)
        } catch {
            console.note(error.message)
            return .usage
        }
    }

    /// `webimage --version`, `webimage --help`.
    private static func runGlobal(_ arguments: [RawText], _ console: Console) throws(UsageError) -> ExitStatus
    {
        let version = OptionSpecification("version", short: "V", "")
        let parsed = try ArgumentParser(options: [.help, .json, version]).parse(arguments)
        if parsed.isSet("help") { return try help(parsed.operands.first, console) }
        guard parsed.operands.isEmpty else {
            throw UsageError("The command comes first; webimage --help lists them.")
        }
        guard parsed.isSet("version") else {
            throw UsageError("There is no command; webimage --help lists them.")
        }
        if parsed.isSet("json") {
            console.print(.object([.init("version", .string(Self.version))]))
        } else {
            console.print("webimage \(Self.version)")
        }
        return console.didFail ? .failure : .success
    }

    private static func help(_ name: RawText?, _ console: Console) throws(UsageError) -> ExitStatus {
        if let name {
            console.print(HelpText.text(for: try command(name).specification))
        } else {
            console.print(HelpText.overview(commands.map { $0.specification }))
        }
        return console.didFail ? .failure : .success
    }

    private static func command(_ name: RawText) throws(UsageError) -> any Command.Type {
        guard let command = commands.first(where: { $0.specification.name == name.text }) else {
            throw UsageError("There is no command \(quoted(name.text)); webimage --help lists them.")
        }
        return command
    }

    private static func run(
        _ command: any Command.Type, _ arguments: [RawText], _ console: Console
    ) throws(UsageError) -> ExitStatus {
        let specification = command.specification
        do throws(UsageError) {
            let parsed = try ArgumentParser(options: specification.options).parse(arguments)
            if parsed.isSet("help") {
                console.print(HelpText.text(for: specification))
                return console.didFail ? .failure : .success
            }
            return try command.init(parsed).run(console)
        } catch {
            throw UsageError("\(error.message) (webimage \(specification.name) --help says more.)")
        }
    }
}
