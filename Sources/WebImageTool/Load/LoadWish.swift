// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import WebImage

/// Where loaded pictures go.
enum LoadOutput: Hashable, Sendable {
    case nowhere
    case standardOutput
    case file(RawText)
    case directory(RawText)
}

/// What a `load` command line asks for.
struct LoadWish: Sendable {
    /// Each URL once, in the order given.
    let urls: [String]
    let output: LoadOutput
    /// The format to write; nil for the picture's own.
    let format: ImageFormat?
    let edits: Edits
    /// Nil where nothing of it was named: then bytes that need no change are written as they came.
    let encoding: EncodeOptions?
    let cacheDirectory: String?
    let usesCache: Bool
    let refreshesCached: Bool
    let freshness: FreshnessPolicy
    let network: NetworkWish
    /// The folder for previews; nil where none are wanted.
    let previews: RawText?
    let printsJSON: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        var seen: Set<String> = []
        urls = arguments.operands.map(\.text).filter { seen.insert($0).inserted }
        output = try Self.output(arguments.value("output"), count: urls.count)
        let named = try arguments.format("format")
        if case .file(let path) = output {
            format = named ?? ImageFormat.named(byExtension: path.fileExtension)
        } else {
            format = named
        }
        edits = try Edits(arguments)
        encoding = try arguments.encoding()
        // A file's extension alone may be that of the picture as it comes.
        if let format, named != nil || !edits.isEmpty || encoding != nil {
            try EncodableFormats.check(format)
        }
        cacheDirectory = try arguments.cacheDirectory()
        usesCache = !arguments.isSet("no-cache")
        refreshesCached = arguments.isSet("refresh")
        freshness = try arguments.freshness()
        network = try NetworkWish(arguments)
        previews = try Self.previews(arguments)
        printsJSON = arguments.isSet("json")
        if printsJSON, output == .standardOutput {
            throw UsageError("--json and a picture cannot both go to standard output.")
        }
        if output == .nowhere, named != nil || encoding != nil {
            throw UsageError("--format and how to encode make sense with --output only.")
        }
    }

    private static func output(_ path: RawText?, count: Int) throws(UsageError) -> LoadOutput {
        guard let path else { return .nowhere }
        guard !path.isEmpty else { throw UsageError("--output needs a name.") }
        if path.isStandardStream {
            if count > 1 { throw UsageError("Standard output takes one picture, not \(count).") }
            return .standardOutput
        }
        let isFolder = count > 1 || path.bytes.last == UInt8(ascii: "/") || isDirectory(path)
        return isFolder ? .directory(path) : .file(path)
    }

    private static func previews(_ arguments: ParsedArguments) throws(UsageError) -> RawText? {
        let folder = arguments.value("previews")
        guard arguments.isSet("progressive") == (folder != nil) else {
            throw UsageError("--progressive and --previews DIR go together.")
        }
        if let folder, folder.isEmpty { throw UsageError("--previews needs the name of a folder.") }
        return folder
    }

    /// What the requests' context says of this wish.
    var context: ImageContext {
        ImageContext { context in
            network.apply(to: &context)
            context[.freshnessPolicy] = freshness
            if refreshesCached { context[.refreshesCached] = true }
            if previews != nil { context[.isProgressive] = true }
            if !usesCache {
                context[.fromLoaderOnly] = true
                context[.storeLevels] = []
                context[.originalStoreLevels] = []
            }
            guard !edits.isEmpty else { return }
            edits.apply(to: &context)
            // What is kept must serve every later --format and --quality.
            context[.storeFormat] = .png
        }
    }
}
