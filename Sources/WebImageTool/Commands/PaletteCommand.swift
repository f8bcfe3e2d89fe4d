// SPDX-License-Identifier: MIT
internal import WebImage

/// `webimage palette`: the colours that pictures are mostly made of.
struct PaletteCommand: Command, PictureReport {
    static let specification = CommandSpecification(
        "palette", usage: ["[--count N] [--json] FILE|URL…"],
        summary: "Say which colours pictures are mostly made of.",
        options: [
            OptionSpecification(
                "count", short: "n", value: "1-256", "How many colours at most; 5 if not given."), .json,
        ] + NetworkWish.options,
        notes: [
            "One line for each picture: its colours, the most frequent first, each with its share. Of an animation the "
                + "first frame is looked at. - reads standard input.",
            "With --json: one array with an object for each input, with the mean colour too.",
        ])

    static let side = 256
    private let inputs: [RawText]
    private let count: Int
    private let network: NetworkWish
    private let printsJSON: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        inputs = arguments.operands
        count = try arguments.integer("count", 1...256) ?? 5
        network = try NetworkWish(arguments)
        printsJSON = arguments.isSet("json")
        guard !inputs.isEmpty else { throw UsageError("palette needs at least one file or URL.") }
    }

    func run(_ console: Console) -> ExitStatus { report(inputs, network, printsJSON: printsJSON, console) }

    func line(_ input: RawText, _ image: DecodedImage) throws -> String {
        let colors = try ColorPalette(image.pixels, count: count).entries.map { entry in
            "\(entry.color.hex) \(Int((entry.share * 100).rounded()))%"
        }
        return "\(printable(input.text)): "
            + (colors.isEmpty ? "nothing to be seen" : colors.joined(separator: ", "))
    }

    func fields(_ image: DecodedImage) throws -> [JSONValue.Field] {
        let palette = try ColorPalette(image.pixels, count: count)
        let colors = palette.entries.map { entry in
            JSONValue.object([.init("color", .string(entry.color.hex)), .init("share", .number(entry.share))])
        }
        return [.init("averageColor", .string(palette.averageColor.hex)), .init("colors", .array(colors))]
    }
}
