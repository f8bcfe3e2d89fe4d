// SPDX-License-Identifier: MIT
internal import WebImage

/// `webimage cache`: what lies in the cache folder, and how to be rid of it.
struct CacheCommand: Command {
    static let specification = CommandSpecification(
        "cache",
        usage: [
            "stats|list|trim|clear|verify [--json] [--cache-dir DIR]",
            "show|remove URL|KEY… [--prefix] [--json] [--cache-dir DIR]",
        ],
        summary: "Look into the cache folder, check it, or remove pictures from it.",
        options: [.cacheDirectory, .json, prefix, expired],
        notes: [
            "A URL means the picture and all that was made of it, thumbnails among them; a KEY, as list prints it, means one.",
            "The user's own cache folder is webimage in $XDG_CACHE_HOME, or else in ~/.cache.",
        ],
        subcommands: [
            ("stats", "Say where the cache lies, and how many pictures and bytes it holds."),
            ("list", "Print a line for each picture: bytes, last use, content type, key."),
            ("show", "Say all that is known about pictures."),
            ("remove", "Remove pictures."),
            (
                "trim",
                "Remove expired pictures, then those not used for longest until half the limits are free."
            ),
            ("clear", "Remove all pictures."),
            ("verify", "Read every picture, and report what is damaged; exit status 1 if something is."),
        ])

    private static let prefix = OptionSpecification(
        "prefix", "For show and remove: all pictures whose URLs begin so.")
    private static let expired = OptionSpecification(
        "expired", "For trim: remove no more than what has expired.")

    enum Action: String, CaseIterable {
        case stats, list, show, remove, trim, clear, verify

        var takesKeys: Bool { self == .show || self == .remove }
    }

    private let action: Action
    private let keys: [CacheQuery]
    private let directory: String?
    private let printsJSON: Bool
    private let onlyExpired: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        var arguments = arguments
        let names = Action.allCases.map(\.rawValue).joined(separator: ", ")
        guard let word = arguments.takeOperand()?.text, let action = Action(rawValue: word) else {
            throw UsageError("cache takes one of the words \(names).")
        }
        guard arguments.operands.isEmpty != action.takesKeys else {
            throw UsageError(
                action.takesKeys
                    ? "cache \(word) needs at least one URL or key."
                    : "cache \(word) takes no further words.")
        }
        if arguments.isSet("prefix"), !action.takesKeys {
            throw UsageError("The option --prefix makes sense with show and remove only.")
        }
        if arguments.isSet("expired"), action != .trim {
            throw UsageError("The option --expired makes sense with trim only.")
        }
        self.action = action
        let isPrefix = arguments.isSet("prefix")
        keys = arguments.operands.map { CacheQuery($0.text, isPrefix: isPrefix) }
        onlyExpired = arguments.isSet("expired")
        directory = try arguments.cacheDirectory()
        printsJSON = arguments.isSet("json")
    }

    func run(_ console: Console) -> ExitStatus {
        let session = CacheSession(
            cache: Defaults.diskCache(directory), console: console, printsJSON: printsJSON)
        do throws(ImageError) {
            try session.cache.checkFolder()
            switch action {
            case .stats: session.stats()
            case .list: session.list()
            case .show: session.show(keys)
            case .remove: try session.remove(keys)
            case .trim: session.trim(onlyExpired: onlyExpired)
            case .clear: try session.clear()
            case .verify: session.verify()
            }
        } catch {
            console.complain(session.folder, error)
        }
        return console.didFail ? .failure : .success
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
