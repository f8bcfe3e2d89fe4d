// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import WebImage

/// `webimage convert`: local files to local files.
struct ConvertCommand: Command {
    static let specification = CommandSpecification(
        "convert",
        usage: ["INPUT OUTPUT", "--to DIR --format FORMAT INPUT…"],
        summary: "Write local pictures in another format.",
        options: [
            OptionSpecification(
                "to", value: "DIR", "Write every input into this folder; it is made if missing."),
            OptionSpecification(
                "max-bytes", value: "SIZE",
                "The longest file, such as 100K: lossy formats get the best quality that keeps to it."),
            .format, .json,
        ] + OptionSpecification.encoding + OptionSpecification.edits,
        notes: [
            "The format is that of --format, or of OUTPUT's extension. pam is Netpbm's P7 with RGB_ALPHA: upright, "
                + "8 bits, straight alpha. - is standard input, or standard output.",
            "With --to, an output is named as its input's path with every / replaced by __, and the extension added: "
                + "a/b.png becomes DIR/a__b.png.pam. An input that fails does not stop the others; the exit status is "
                + "then 1.",
            EditNotes.order,
        ])

    private let jobs: [ConversionJob]
    private let folder: RawText?
    private let conversion: Conversion
    private let coder = Defaults.coders()
    private let printsJSON: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        printsJSON = arguments.isSet("json")
        folder = arguments.value("to")
        let named = try arguments.format("format")
        let format: ImageFormat
        if let folder {
            (jobs, format) = try Self.many(arguments.operands, folder, named)
        } else {
            (jobs, format) = try Self.single(arguments.operands, named)
        }
        try EncodableFormats.check(format)
        if printsJSON, jobs.contains(where: { $0.output.isStandardStream }) {
            throw UsageError("--json and a picture cannot both go to standard output.")
        }
        var options = try arguments.encoding() ?? EncodeOptions()
        options.maximumByteCount = try arguments.byteCount("max-bytes")
        conversion = Conversion(format: format, edits: try Edits(arguments), options: options)
    }

    private static func single(
        _ operands: [RawText], _ format: ImageFormat?
    ) throws(UsageError) -> ([ConversionJob], ImageFormat) {
        guard operands.count == 2 else {
            throw UsageError(
                "convert takes INPUT and OUTPUT, or --to DIR --format FORMAT and any number of inputs.")
        }
        try refuseURLs(operands)
        let output = operands[1]
        guard !output.isEmpty else { throw UsageError("OUTPUT is empty.") }
        guard let format = format ?? ImageFormat.named(byExtension: output.fileExtension) else {
            throw UsageError("The extension of \(quoted(output.text)) names no picture format; add --format.")
        }
        return ([ConversionJob(input: operands[0], output: output)], format)
    }

    private static func many(
        _ operands: [RawText], _ folder: RawText, _ format: ImageFormat?
    ) throws(UsageError) -> ([ConversionJob], ImageFormat) {
        guard let format else { throw UsageError("--to needs --format.") }
        guard !folder.isEmpty else { throw UsageError("--to needs the name of a folder.") }
        guard !operands.isEmpty else { throw UsageError("convert needs at least one input.") }
        try refuseURLs(operands)
        let ending = RawText("." + format.fileExtension)
        let jobs = operands.map { input in
            let name = input.isStandardStream ? "stdin" : input.flattened
            return ConversionJob(input: input, output: folder.appending(component: name.appending(ending)))
        }
        return (jobs, format)
    }

    private static func refuseURLs(_ operands: [RawText]) throws(UsageError) {
        guard let url = operands.first(where: \.isURL) else { return }
        throw UsageError("convert takes local files; use load for \(quoted(url.text)).")
    }

    func run(_ console: Console) -> ExitStatus {
        do throws(ImageError) {
            if let folder { try makeDirectories(folder) }
        } catch {
            console.complain(folder?.text ?? "", error)
            return .failure
        }
        var inputsByOutput: [RawText: RawText] = [:]
        var objects: [JSONValue] = []
        for job in jobs {
            let other = inputsByOutput.updateValue(job.input, forKey: job.output)
            let result = other.map { .failure(job.collision(with: $0)) } ?? convert(job)
            report(job, result, console)
            if printsJSON { objects.append(job.json(result)) }
        }
        if printsJSON { console.print(.array(objects)) }
        return console.didFail ? .failure : .success
    }

    private func convert(_ job: ConversionJob) -> Result<ConversionResult, ImageError> {
        Result { () throws(ImageError) in
            if !job.output.isStandardStream { try OutputFile.check(job.output) }
            let result = try conversion.run(try InputFile.contents(of: job.input), with: coder)
            if job.output.isStandardStream {
                try OutputFile.writeToStandardOutput(result.data)
            } else {
                try OutputFile.write(result.data, to: job.output)
            }
            return result
        }
    }

    private func report(
        _ job: ConversionJob, _ result: Result<ConversionResult, ImageError>, _ console: Console
    ) {
        switch result {
        case .failure(let error): console.complain(job.input.text, error)
        case .success(let result):
            if result.isPartial {
                console.note("\(job.input.text): The file is cut or damaged; part of the picture is missing.")
            }
        }
    }
}

/// One input and where it goes.
struct ConversionJob: Hashable, Sendable {
    let input: RawText
    let output: RawText

    func collision(with other: RawText) -> ImageError {
        ImageError(
            .invalidArgument, stage: .store,
            "\(printable(input.text)) would overwrite \(printable(output.text)), made of "
                + "\(printable(other.text)) just now; convert it by itself.")
    }

    func json(_ result: Result<ConversionResult, ImageError>) -> JSONValue {
        switch result {
        case .failure(let error):
            .object([.init("input", .string(input.text)), .init("error", error.json)])
        case .success(let result):
            .object([
                .init("input", .string(input.text)), .init("output", .string(output.text)),
                .init("format", .string(result.format.name)), .init("width", .integer(result.size.width)),
                .init("height", .integer(result.size.height)), .init("bytes", .integer(result.data.count)),
                .init("isPartial", .bool(result.isPartial)),
            ])
        }
    }
}
