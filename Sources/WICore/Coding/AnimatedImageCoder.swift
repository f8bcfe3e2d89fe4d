// SPDX-License-Identifier: MIT
public import FoundationEssentials

/// A coder that knows animations.
///
/// What its `decode` gives for one has a ``DecodedImage/frames`` as well, unless the first frame alone is asked for.
public protocol AnimatedImageCoder: ImageCoder {
    /// The formats in which it writes all frames of a picture that has ``DecodedImage/frames``.
    var animatedFormats: Set<ImageFormat> { get }

    /// Opens the frames of an animation, without decoding any; nil for a still.
    ///
    /// They come at the size, in the format and with the alpha that `options` ask for: each is made smaller once it is
    /// composited, when it is read. The source keeps `data`.
    ///
    /// - Throws: ``ImageError`` with code `frameLimit` or `dimensionLimit` for more than the limits allow, or what
    ///   `decode` throws for a file without a readable head.
    func frameSource(_ data: Data, _ options: DecodeOptions) throws -> (any FrameSource)?
}

extension CodersManager: AnimatedImageCoder {
    /// The formats that the first coder which encodes them writes with all frames.
    public var animatedFormats: Set<ImageFormat> {
        let ordered = Array(coders.reversed())
        return encodableFormats.filter { format in
            let coder = ordered.first { $0.canEncode(format) } as? any AnimatedImageCoder
            return coder?.animatedFormats.contains(format) ?? false
        }
    }

    /// Asks the first claiming coder that knows animations; nil where none does.
    public func frameSource(_ data: Data, _ options: DecodeOptions) throws -> (any FrameSource)? {
        for coder in coders.reversed() where coder.format(of: data.bytes) != nil {
            guard let coder = coder as? any AnimatedImageCoder else { continue }
            return try coder.frameSource(data, options)
        }
        return nil
    }
}
