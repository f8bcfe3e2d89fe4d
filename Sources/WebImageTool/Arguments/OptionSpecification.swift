// SPDX-License-Identifier: MIT

/// One option that a command takes.
struct OptionSpecification: Hashable, Sendable {
    /// Without the dashes.
    let name: String
    let short: Character?
    /// What the value is called in the help; nil for a switch.
    let value: String?
    let help: String

    init(_ name: String, short: Character? = nil, value: String? = nil, _ help: String) {
        self.name = name
        self.short = short
        self.value = value
        self.help = help
    }
}

/// What a command takes and how it is explained.
struct CommandSpecification: Hashable, Sendable {
    let name: String
    /// Lines that follow `webimage NAME`.
    let usage: [String]
    let summary: String
    let options: [OptionSpecification]
    /// Paragraphs after the options.
    let notes: [String]
    /// Further words, such as those of `cache`.
    let subcommands: [(name: String, summary: String)]

    init(
        _ name: String, usage: [String], summary: String, options: [OptionSpecification] = [],
        notes: [String] = [], subcommands: [(name: String, summary: String)] = []
    ) {
        self.name = name
        self.usage = usage
        self.summary = summary
        self.options = options + [.help]
        self.notes = notes
        self.subcommands = subcommands
    }

    static func == (left: Self, right: Self) -> Bool { left.name == right.name }
    func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension OptionSpecification {
    static let help = OptionSpecification("help", short: "h", "Print this text.")
    static let json = OptionSpecification("json", "Print JSON.")
    static let cacheDirectory = OptionSpecification(
        "cache-dir", value: "DIR", "Use this cache folder instead of the user's own.")
}
