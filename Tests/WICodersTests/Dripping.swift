// SPDX-License-Identifier: MIT
import FoundationEssentials
import WICore

/// Feeds a file to a progressive decoder piece by piece.
struct Dripping {
    /// What was shown, in order.
    private(set) var previews: [PixelBuffer] = []
    /// Why nothing more was, where it was so.
    private(set) var failure: (any Error)?

    /// All previews of a file that comes in pieces of the lengths that `next` gives, asked for after each one.
    init(
        _ data: Data, with coder: any ProgressiveImageCoder, _ options: DecodeOptions = DecodeOptions(),
        next: () -> Int
    ) {
        do {
            let decoder = try coder.makeProgressiveDecoder(options)
            var rest = data[...]
            while !rest.isEmpty {
                let piece = Data(rest.prefix(max(1, next())))
                rest = rest.dropFirst(piece.count)
                try decoder.append(piece.bytes, WorkContext())
                if let preview = try decoder.preview(WorkContext()) { previews.append(preview.pixels) }
            }
        } catch {
            failure = error
        }
    }

    init(
        _ data: Data, with coder: any ProgressiveImageCoder, _ options: DecodeOptions = DecodeOptions(),
        step: Int
    ) {
        self.init(data, with: coder, options) { step }
    }

    var failureCode: ImageError.Code? { (failure as? ImageError)?.code }
}
