// SPDX-License-Identifier: MIT
internal import WebImage

/// `webimage thumbhash`: a few bytes that stand for a picture until it is there.
struct ThumbHashCommand: Command, PictureReport {
    static let specification = CommandSpecification(
        "thumbhash", usage: ["[--blurhash] [--json] FILE|URL…"],
        summary: "Make placeholders of a few bytes: ThumbHash or BlurHash.",
        options: [
            OptionSpecification("blurhash", "Print BlurHashes, of four waves across and three down."), .json,
        ] + NetworkWish.options,
        notes: [
            "One line for each picture, its name and the hash in base64. Of an animation the first frame is looked at. - "
                + "reads standard input.",
            "With --json: one array with an object for each input, with both hashes and the mean colour.",
        ])

    static let side = 100
    private let inputs: [RawText]
    private let usesBlurHash: Bool
    private let network: NetworkWish
    private let printsJSON: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        inputs = arguments.operands
        usesBlurHash = arguments.isSet("blurhash")
        network = try NetworkWish(arguments)
        printsJSON = arguments.isSet("json")
        guard !inputs.isEmpty else { throw UsageError("thumbhash needs at least one file or URL.") }
    }

    func run(_ console: Console) -> ExitStatus { report(inputs, network, printsJSON: printsJSON, console) }

    func line(_ input: RawText, _ image: DecodedImage) throws -> String {
        let hash = try usesBlurHash ? BlurHash(image.pixels).text : ThumbHash(image.pixels).base64
        return "\(printable(input.text)): \(hash)"
    }

    func fields(_ image: DecodedImage) throws -> [JSONValue.Field] {
        let hash = try ThumbHash(image.pixels)
        return [
            .init("thumbHash", .string(hash.base64)),
            .init("blurHash", .string(try BlurHash(image.pixels).text)),
            .init("averageColor", .string(hash.averageColor.hex)),
            .init("aspectRatio", .number(hash.aspectRatio)),
        ]
    }
}
