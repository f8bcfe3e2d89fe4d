// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import WebImage

/// The first frames of files and URLs, for commands that say something about pictures.
struct PictureInput {
    private let coder = Defaults.coders()
    private let remote: RemotePictures

    init(_ network: NetworkWish, _ console: Console) { remote = RemotePictures(network, console) }

    /// The picture, decoded no larger than needed where `side` says what is enough.
    ///
    /// - Throws: why it cannot be had.
    func picture(_ input: RawText, side: Int) throws(ImageError) -> DecodedImage {
        let data = try input.isURL ? remote.data(of: input.text) : InputFile.contents(of: input)
        var options = DecodeOptions()
        options.firstFrameOnly = true
        options.thumbnailSize = PixelSize(width: side, height: side)
        do {
            return try coder.decode(data, options, WorkContext())
        } catch {
            throw .wrapping(error, as: .corruptData, stage: .decode)
        }
    }
}

/// A command that prints a line, or an object, for each of its inputs.
protocol PictureReport {
    static var side: Int { get }
    func line(_ input: RawText, _ image: DecodedImage) throws -> String
    func fields(_ image: DecodedImage) throws -> [JSONValue.Field]
}

extension PictureReport {
    /// Reports on every input; one that fails does not stop the others.
    func report(_ inputs: [RawText], _ network: NetworkWish, printsJSON: Bool, _ console: Console)
        -> ExitStatus
    {
        let pictures = PictureInput(network, console)
        var objects: [JSONValue] = []
        for input in inputs {
            do {
                let image = try pictures.picture(input, side: Self.side)
                if printsJSON {
                    objects.append(.object([.init("input", .string(input.text))] + (try fields(image))))
                } else {
                    console.print(try line(input, image))
                }
            } catch {
                let failure = ImageError.wrapping(error, as: .transformFailed, stage: .transform)
                console.complain(input.text, failure)
                objects.append(.object([.init("input", .string(input.text)), .init("error", failure.json)]))
            }
        }
        if printsJSON { console.print(.array(objects)) }
        return console.didFail ? .failure : .success
    }
}
