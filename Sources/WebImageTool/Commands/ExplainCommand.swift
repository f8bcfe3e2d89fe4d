// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import WebImage

/// `webimage explain`: what would be done with a URL, without loading it.
struct ExplainCommand: Command {
    static let specification = CommandSpecification(
        "explain", usage: ["URL… [--resize WxH] [--json] …"],
        summary:
            "Say under which keys a picture is kept, and what caches would answer.",
        options: [.cacheDirectory, .json] + OptionSpecification.edits,
        notes: [
            "Nothing is loaded or decoded. A picture that load changed before it was kept is found with the same options.",
            "With --json: one array with an object for each URL.",
        ])

    private let urls: [String]
    private let edits: Edits
    private let cacheDirectory: String?
    private let printsJSON: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        urls = arguments.operands.map(\.text)
        guard !urls.isEmpty else { throw UsageError("explain needs at least one URL.") }
        edits = try Edits(arguments)
        cacheDirectory = try arguments.cacheDirectory()
        printsJSON = arguments.isSet("json")
    }

    func run(_ console: Console) -> ExitStatus {
        let manager = Defaults.manager(cacheDirectory: cacheDirectory, usesCache: true)
        waitFor { await explain(manager, console) }
        return console.didFail ? .failure : .success
    }

    private func explain(_ manager: ImageManager, _ console: Console) async {
        var objects: [JSONValue] = []
        for (index, text) in urls.enumerated() {
            let context = ImageContext { edits.apply(to: &$0) }
            let explanation = await manager.explain(ImageRequest(text, context: context))
            if let problem = explanation.problem { console.complain(redacted(text), problem) }
            if printsJSON {
                objects.append(explanation.json)
            } else if explanation.problem == nil {
                if index > 0 { console.print("") }
                for line in explanation.description.split(separator: "\n") {
                    console.print(printable(String(line)))
                }
            }
        }
        if printsJSON { console.print(.array(objects)) }
    }
}

extension RequestExplanation {
    fileprivate var json: JSONValue {
        .object([
            .init("url", url.map { .string($0) } ?? .null), .init("key", .string(key.description)),
            .init("originalKey", .string(originalKey.description)),
            .init("levels", .array(levels.map(\.json))),
            .init("loader", loader.map { .string($0) } ?? .null),
            .init("loadRefusal", loadRefusal.map(\.json) ?? .null),
            .init("format", format.map { .string("\($0)") } ?? .null),
            .init("coder", coder.map { .string($0) } ?? .null),
            .init("bodyLimit", .integer(bodyLimit.bytes)),
            .init("problem", problem.map(\.json) ?? .null),
        ])
    }
}

extension RequestExplanation.LevelAnswer {
    fileprivate var json: JSONValue {
        let name = level == .memory ? "memory" : level == .disk ? "disk" : "shared"
        return .object([
            .init("level", .string(name)), .init("of", .string(isOriginal ? "original" : "target")),
            .init("state", .string(state.rawValue)), .init("storedAt", storedAt.map { .number($0) } ?? .null),
            .init("bytes", size.map { .integer($0.bytes) } ?? .null),
        ])
    }
}
