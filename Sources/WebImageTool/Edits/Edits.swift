// SPDX-License-Identifier: MIT
internal import WIColor
internal import WebImage

/// What a command line asks to be done to pictures.
struct Edits: Sendable {
    /// The box to decode into; nil for the full size, and a side of 0 does not limit.
    let thumbnail: PixelSize?
    /// Whether colours become sRGB first.
    let convertsToSRGB: Bool
    /// What is done after that.
    let transformer: (any Transformer)?

    static let none = Edits(thumbnail: nil, transformer: nil)

    init(thumbnail: PixelSize?, convertsToSRGB: Bool = false, transformer: (any Transformer)?) {
        self.thumbnail = thumbnail
        self.convertsToSRGB = convertsToSRGB
        self.transformer = transformer
    }

    init(_ arguments: ParsedArguments) throws(UsageError) {
        var steps = try EditStep.steps(of: arguments)[...]
        var thumbnail: PixelSize?
        if let first = steps.first, first.name == "resize", let box = try ResizeStep(first).thumbnail {
            // Decoding to the box takes less memory than resizing.
            thumbnail = box
            steps.removeFirst()
        }
        var transformers: [any Transformer] = []
        for step in steps { transformers.append(try step.transformer()) }
        self.init(
            thumbnail: thumbnail, convertsToSRGB: arguments.isSet("srgb"),
            transformer: transformers.isEmpty ? nil : PipelineTransformer(transformers))
    }

    var isEmpty: Bool { thumbnail == nil && transformer == nil }

    /// Sets what a request needs for it.
    func apply(to context: inout ImageContext) {
        if let thumbnail { context[.thumbnailSize] = thumbnail }
        if let transformer {
            context[.transformer] = transformer
            context[.transformsAnimations] = true
        }
    }

    /// The picture, and every frame of an animation when it is read, as it is asked for.
    func apply(to image: DecodedImage, _ work: borrowing WorkContext) throws -> DecodedImage {
        let image = convertsToSRGB ? try image.convertedToSRGB(work) : image
        guard var transformer else { return image }
        if image.frames != nil { transformer = try transformer.settled(on: image.pixels, work) }
        let pixels = try transformer.transform(image.pixels, work)
        let frames = image.frames.map { [transformer] frames in
            TransformedFrames(frames, transformer, canvasSize: pixels.size)
        }
        return image.replacingPixels(pixels, frames: frames)
    }
}
