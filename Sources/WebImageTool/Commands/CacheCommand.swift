// SPDX-License-Identifier: MIT
internal import WebImage

/// `webimage cache`: what lies in the cache folder, and how to be rid of it.
struct CacheCommand: Command {
    static let specification = CommandSpecification(
        "cache", usage: ["stats|clear [--cache-dir DIR]"],
        summary: "Look into the cache folder, or empty it.",
        options: [.cacheDirectory, .json],
        notes: ["The user's own cache folder is webimage in $XDG_CACHE_HOME, or else in ~/.cache."],
        subcommands: [
            ("stats", "Say where the cache lies, and how many pictures and bytes it holds."),
            ("clear", "Remove all pictures from the cache."),
        ])

    private enum Action: String, CaseIterable {
        case stats, clear
    }

    private let action: Action
    private let directory: String?
    private let printsJSON: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        guard arguments.operands.count == 1, let word = arguments.operands.first?.text,
            let action = Action(rawValue: word)
        else { throw UsageError("cache takes one word, stats or clear.") }
        self.action = action
        directory = try arguments.cacheDirectory()
        printsJSON = arguments.isSet("json")
    }

    func run(_ console: Console) -> ExitStatus {
        let cache = Defaults.diskCache(directory)
        do throws(ImageError) {
            try cache.checkFolder()
            let before = cache.totalSize
            if action == .clear { try cache.clear() }
            report(cache.configuration, before, console)
        } catch {
            console.complain(cache.configuration.root, error)
        }
        return console.didFail ? .failure : .success
    }

    private func report(
        _ configuration: DiskCacheConfiguration, _ size: (bytes: ByteCount, count: Int), _ console: Console
    ) {
        let folder = configuration.root
        switch (action, printsJSON) {
        case (.stats, false):
            console.print("folder:   \(printable(folder))")
            console.print("pictures: \(size.count)")
            console.print("size:     \(size.bytes) of \(configuration.byteLimit)")
        case (.clear, false):
            console.print("\(printable(folder)): removed \(size.count) pictures, \(size.bytes)")
        case (.stats, true):
            console.print(
                .object([
                    .init("folder", .string(folder)), .init("entries", .integer(size.count)),
                    .init("bytes", .integer(size.bytes.bytes)),
                    .init("byteLimit", .integer(configuration.byteLimit.bytes)),
                ]))
        case (.clear, true):
            console.print(
                .object([
                    .init("folder", .string(folder)), .init("removedEntries", .integer(size.count)),
                    .init("removedBytes", .integer(size.bytes.bytes)),
                ]))
        }
    }
}

extension ParsedArguments {
    /// The folder of `--cache-dir`; nil for the user's own.
    func cacheDirectory() throws(UsageError) -> String? {
        guard let path = value("cache-dir") else { return nil }
        guard !path.isEmpty else { throw UsageError("The option --cache-dir needs the name of a folder.") }
        guard RawText(path.text) == path else {
            throw UsageError("The folder \(quoted(path.text)) of --cache-dir has a name that is no UTF-8.")
        }
        return path.text
    }
}
