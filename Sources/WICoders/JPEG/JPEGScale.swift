// SPDX-License-Identifier: MIT
internal import WICore
internal import WIPixels

/// In how many eighths of its size a file is decoded.
struct JPEGScale: Equatable {
    let eighths: Int

    static let full = JPEGScale(eighths: 8)

    private init(eighths: Int) { self.eighths = eighths }

    /// The fewest that leave a factor of about two to the resampler, or the full size.
    ///
    /// Both sizes are as stored, before orientation.
    init(from stored: PixelSize, to target: PixelSize) {
        guard target.width < stored.width || target.height < stored.height else {
            self = .full
            return
        }
        // Odd eighths use transforms without vector code, slower than the next power of two.
        let candidates = [1, 2, 4].map(JPEGScale.init(eighths:))
        self = candidates.first { $0.suffices(from: stored, to: target) } ?? .full
    }

    func size(of stored: PixelSize) -> PixelSize {
        PixelSize(width: (stored.width * eighths + 7) / 8, height: (stored.height * eighths + 7) / 8)
    }

    /// Where the picture lies in what libjpeg hands out, to a fraction of a pixel.
    func region(of stored: PixelSize) -> SourceRegion {
        SourceRegion(
            x: 0, y: 0, width: Double(stored.width * eighths) / 8, height: Double(stored.height * eighths) / 8
        )
    }

    /// "About two" is 15/8: common sizes (4000 to 256, 1920 to 128) lie just under two, where an eighth is as good to the
    /// eye (46 dB from the picture reduced at full size, against 47 at two) and costs two thirds.
    private func suffices(from stored: PixelSize, to target: PixelSize) -> Bool {
        let reduced = size(of: stored)
        return 8 * reduced.width >= 15 * target.width && 8 * reduced.height >= 15 * target.height
    }
}
