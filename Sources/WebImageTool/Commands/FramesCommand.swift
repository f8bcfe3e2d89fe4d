// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import WIColor
internal import WebImage

/// `webimage frames`: each composited frame of an animation to a file of its own.
struct FramesCommand: Command {
    static let specification = CommandSpecification(
        "frames",
        usage: ["INPUT PATTERN"],
        summary: "Write each frame of an animation as a picture.",
        options: [.format, .json] + OptionSpecification.encoding + OptionSpecification.edits,
        notes: [
            "PATTERN has a place for the frame's number, counted from 1, as printf writes it: out-%03d.png. %% is a "
                + "percent sign. The format is that of --format, or of PATTERN's extension. - is standard input.",
            "Frames are whole canvases, as a player shows them. A still gives one.",
            EditNotes.order,
        ])

    private let input: RawText
    private let name: NumberedName
    private let format: ImageFormat
    private let edits: Edits
    private let options: EncodeOptions
    private let printsJSON: Bool
    private let coder = Defaults.coders()

    init(_ arguments: ParsedArguments) throws(UsageError) {
        guard arguments.operands.count == 2 else { throw UsageError("frames takes INPUT and PATTERN.") }
        let (input, pattern) = (arguments.operands[0], arguments.operands[1])
        guard !input.isURL else {
            throw UsageError("frames takes local files; use load for \(quoted(input.text)).")
        }
        guard
            let format = try arguments.format("format")
                ?? ImageFormat.named(byExtension: pattern.fileExtension)
        else {
            throw UsageError(
                "The extension of \(quoted(pattern.text)) names no picture format; add --format.")
        }
        try EncodableFormats.check(format)
        self.input = input
        self.format = format
        name = try NumberedName(pattern)
        edits = try Edits(arguments)
        options = try arguments.encoding() ?? EncodeOptions()
        printsJSON = arguments.isSet("json")
    }

    func run(_ console: Console) -> ExitStatus {
        var objects: [JSONValue] = []
        do {
            let image = try decoded()
            if image.metadata.isPartial {
                console.note("\(input.text): The file is cut or damaged; part of the picture is missing.")
            }
            let reader = try image.frames?.makeReader()
            let transformer = try edits.transformer?.settled(on: image.pixels, WorkContext())
            for index in 0..<image.frameCount {
                let pixels = try reader?.frame(at: index, WorkContext()) ?? image.pixels
                objects.append(try write(pixels, index, image, transformer))
            }
        } catch {
            console.complain(input.text, .wrapping(error, as: .corruptData, stage: .decode))
        }
        if printsJSON { console.print(.array(objects)) }
        return console.didFail ? .failure : .success
    }

    private func decoded() throws -> DecodedImage {
        var decoding = DecodeOptions()
        decoding.thumbnailSize = edits.thumbnail
        let image = try coder.decode(try InputFile.contents(of: input), decoding, WorkContext())
        return edits.convertsToSRGB ? try image.convertedToSRGB() : image
    }

    /// Writes one frame, and says so for `--json`.
    private func write(
        _ pixels: PixelBuffer, _ index: Int, _ image: DecodedImage, _ transformer: (any Transformer)?
    ) throws -> JSONValue {
        let work = WorkContext()
        let shown = try transformer?.transform(pixels, work) ?? pixels
        let bytes = try coder.encode(
            DecodedImage(pixels: shown, format: image.format, metadata: image.metadata), as: format, options,
            work)
        let output = name(index + 1)
        try OutputFile.write(bytes, to: output)
        var fields: [JSONValue.Field] = [
            .init("output", .string(output.text)), .init("width", .integer(shown.width)),
            .init("height", .integer(shown.height)), .init("bytes", .integer(bytes.count)),
        ]
        if let frame = image.frames?.frames[index] {
            fields.append(.init("durationMs", .number(frame.durationMilliseconds)))
        }
        return .object(fields)
    }
}
