// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import WebImage

/// `webimage info`: what the heads of files say; of a local file nothing but the file is touched.
struct InfoCommand: Command {
    static let specification = CommandSpecification(
        "info", usage: ["[--json] FILE|URL… [OPTION…]"],
        summary: "Say format, size, orientation, frames, alpha and ICC profile of pictures.",
        options: [.json, .refresh, .freshness] + NetworkWish.options,
        notes: [
            "Pixels are not decoded; a picture that is over a limit of the decoders is described, with a note. - reads "
                + "standard input. A URL is loaded, past the cache: the server is always asked, as --refresh says.",
            "With --json: one array with an object for each input; an input that cannot be read has an error in its "
                + "object, and the exit status is then 1.",
        ])

    private let network: NetworkWish
    private let inputs: [RawText]
    private let printsJSON: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        inputs = arguments.operands
        printsJSON = arguments.isSet("json")
        network = try NetworkWish(arguments)
        // What no cache answers is as fresh as every policy wants it.
        _ = try arguments.freshness()
        guard !inputs.isEmpty else { throw UsageError("info needs at least one file or URL.") }
    }

    func run(_ console: Console) -> ExitStatus {
        let coder = Defaults.coders()
        let downloads = Downloads(network, console)
        var objects: [JSONValue] = []
        for input in inputs {
            let report = report(input, coder, downloads)
            if case .failure(let error) = report.result { console.complain(input.text, error) }
            if printsJSON {
                objects.append(report.json)
            } else if let line = report.line {
                console.print(line)
            }
        }
        if printsJSON { console.print(.array(objects)) }
        return console.didFail ? .failure : .success
    }

    private func report(
        _ input: RawText, _ coder: any ImageCoder, _ downloads: Downloads
    ) -> ImageReport {
        do throws(ImageError) {
            let data = try input.isURL ? downloads.body(of: input.text) : InputFile.contents(of: input)
            return ImageReport(path: input.text, data: data, coder: coder)
        } catch {
            return ImageReport(path: input.text, failure: error)
        }
    }
}
