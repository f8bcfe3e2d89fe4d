// SPDX-License-Identifier: MIT

/// What `--help` prints, made of the commands' own words.
enum HelpText {
    private static let width = 78

    static func text(for command: CommandSpecification) -> String {
        var lines: [String] = []
        for (index, usage) in command.usage.enumerated() {
            lines.append((index == 0 ? "Usage: " : "       ") + "webimage \(command.name) \(usage)")
        }
        lines += ["", command.summary]
        if !command.subcommands.isEmpty {
            lines += [""] + columns(command.subcommands.map { ($0.name, $0.summary) })
        }
        lines += ["", "Options:"] + columns(command.options.map { (label($0), $0.help) })
        for note in command.notes { lines += [""] + wrapped(note, width: width) }
        return lines.joined(separator: "\n")
    }

    static func overview(_ commands: [CommandSpecification]) -> String {
        var lines = ["Usage: webimage COMMAND [ARGUMENT…]", ""]
        lines += ["Loads, caches, converts and inspects pictures.", "", "Commands:"]
        lines += columns(commands.map { ($0.name, $0.summary) })
        lines += ["", "Options:"]
        lines += columns([
            ("-h, --help", "Print this text; after a command, the command's."),
            ("    --version", "Print the version; with --json as JSON."),
        ])
        lines +=
            [""]
            + wrapped(
                "Exit status: 0, 1 when something failed, 2 when the command line is wrong.", width: width)
        return lines.joined(separator: "\n")
    }

    private static func label(_ option: OptionSpecification) -> String {
        let short = option.short.map { "-\($0), " } ?? "    "
        return short + "--\(option.name)" + (option.value.map { " \($0)" } ?? "")
    }

    /// Two columns, the second wrapped.
    private static func columns(_ rows: [(String, String)]) -> [String] {
        let first = (rows.map(\.0.count).max() ?? 0) + 4
        return rows.flatMap { row in
            wrapped(row.1, width: width - first).enumerated().map { index, line in
                let label = index == 0 ? "  " + row.0 : ""
                return label + String(repeating: " ", count: first - label.count) + line
            }
        }
    }

    private static func wrapped(_ text: String, width: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if !line.isEmpty, line.count + 1 + word.count > width {
                lines.append(line)
                line = ""
            }
            line += (line.isEmpty ? "" : " ") + word
        }
        return line.isEmpty ? lines : lines + [line]
    }
}
