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
                + "standard input. Of a URL no more is loaded than its head, past the cache: the server is always asked, as "
                + "--refresh says.",
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
        let heads = RemotePictures(network, console)
        var objects: [JSONValue] = []
        for input in inputs {
            let report = report(input, coder, heads)
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

    private func report(_ input: RawText, _ coder: any ImageCoder, _ heads: RemotePictures) -> ImageReport {
        do throws(ImageError) {
            if input.isURL { return ImageReport(path: input.text, info: try heads.info(of: input.text)) }
            return ImageReport(path: input.text, data: try InputFile.contents(of: input), coder: coder)
        } catch {
            return ImageReport(path: input.text, failure: error)
        }
    }
}
