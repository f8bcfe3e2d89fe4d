// SPDX-License-Identifier: MIT
package import FoundationEssentials
package import WICore

extension EncodeOptions {
    /// Encodes by `encode` what these options leave of an image, with the highest quality that keeps to their length.
    ///
    /// `usesQuality` says whether ``quality`` makes a difference.
    ///
    /// - Throws: ``ImageError`` with code `fileSizeLimit`, or what resizing and `encode` throw.
    package func encode(
        _ image: DecodedImage, as format: ImageFormat, usesQuality: Bool, _ work: borrowing WorkContext,
        by encode: (DecodedImage, EncodeOptions, borrowing WorkContext) throws -> Data
    ) throws -> Data {
        let image = try limited(image, work)
        guard let limit = maximumByteCount else { return try encode(image, self, work) }
        var options = self
        var search = QualitySearch(highest: usesQuality ? min(100, max(1, quality)) : 1)
        var best: Data?
        var smallest = Int.max
        while let quality = search.next {
            try work.checkCancellation(.encode)
            if usesQuality { options.quality = quality }
            let data = try encode(image, options, work)
            let fits = ByteCount(data.count) <= limit
            if fits { best = data }
            smallest = min(smallest, data.count)
            search.note(fits: fits)
        }
        guard let best else {
            throw ImageError(
                .fileSizeLimit, stage: .encode,
                "As \(format) the picture takes \(ByteCount(smallest))\(usesQuality ? " at the lowest quality" : ""), more "
                    + "than the limit of \(limit); make it smaller\(usesQuality ? "" : ", or choose a lossy format")."
            )
        }
        return best
    }

    private func limited(_ image: DecodedImage, _ work: borrowing WorkContext) throws -> DecodedImage {
        let frames = firstFrameOnly ? nil : image.frames
        let size = maximumSize.map(image.size.fitting) ?? image.size
        guard size != image.size || frames == nil else { return image }
        let shrinking = Shrinking(size: size)
        return image.replacingPixels(
            try shrinking.transform(image.pixels, work),
            frames: frames.map { TransformedFrames($0, shrinking, canvasSize: size) })
    }
}

/// Finds the highest quality whose file is no longer than it may be: the one asked for, else by halving.
struct QualitySearch {
    private var lowest = 1
    private var highest: Int
    /// The quality to try; nil when there is none left.
    private(set) var next: Int?

    init(highest: Int) {
        self.highest = highest
        next = highest
    }

    /// Takes down what became of ``next``.
    mutating func note(fits: Bool) {
        guard let tried = next else { return }
        if fits { lowest = tried + 1 } else { highest = tried - 1 }
        next = lowest <= highest ? (lowest + highest) / 2 : nil
    }
}

/// Makes pictures smaller with the kernel that thumbnails are made with.
private struct Shrinking: Transformer {
    let size: PixelSize

    var keyPart: KeyPart { KeyPart("shrink", size.description) }

    func transform(_ pixels: PixelBuffer, _ work: borrowing WorkContext) throws -> PixelBuffer {
        try pixels.resized(to: size, filter: .lanczos3, work)
    }
}
