// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import WebImage

/// `webimage load`: pictures by URL, through the whole pipeline.
struct LoadCommand: Command {
    static let specification = CommandSpecification(
        "load", usage: ["URL… [-o FILE|DIR] [--resize WxH] [--format FORMAT] …"],
        summary: "Load pictures by URL, through the cache; resize, convert and save them.",
        options: [
            OptionSpecification(
                "output", short: "o", value: "PATH",
                "Write the picture to this file; into it where it is a folder, as it must be for several URLs; - is "
                    + "standard output. Without it nothing is written, but the cache is filled."),
            .format,
            OptionSpecification("progressive", "Look at the picture while it arrives; needs --previews."),
            OptionSpecification(
                "previews", value: "DIR",
                "Write what is seen so far into this folder, with --progressive: NAME-001.png and so on."),
            .cacheDirectory,
            OptionSpecification("no-cache", "Neither look into the cache nor store."),
            .refresh, .freshness, .json,
        ] + OptionSpecification.encoding + OptionSpecification.edits + NetworkWish.options,
        notes: [
            "The bytes are written as they came where nothing is to be done to them. The format is that of --format, "
                + "or of FILE's extension, or the picture's own.",
            "Previews are PNG whatever the picture is, and have its size; what has not come is transparent or coarse. A "
                + "picture from the cache has none.",
            "The second run of the same command makes no request. Each result is one line on standard output; "
                + "with --json: one array with an object for each URL.",
            EditNotes.order,
        ])

    private let wish: LoadWish

    init(_ arguments: ParsedArguments) throws(UsageError) {
        guard !arguments.operands.isEmpty else { throw UsageError("load needs at least one URL.") }
        wish = try LoadWish(arguments)
    }

    func run(_ console: Console) -> ExitStatus {
        do throws(ImageError) {
            switch wish.output {
            case .directory(let path): try makeDirectories(path)
            case .file(let path): try OutputFile.check(path)
            case .nowhere, .standardOutput: break
            }
            if let previews = wish.previews { try makeDirectories(previews) }
        } catch {
            // Its sentence names the file.
            console.complain("", error)
            return .failure
        }
        let wish = wish
        waitFor { await LoadSession(wish, console).run() }
        return console.didFail ? .failure : .success
    }
}
