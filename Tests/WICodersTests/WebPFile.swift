// SPDX-License-Identifier: MIT
import FoundationEssentials
import WICoders
import WICore
import WITestKit

/// A WebP file that tests take apart and put together again.
struct WebPFile {
    var bytes: [UInt8]

    var data: Data { Data(bytes) }

    static let (xmpFlag, exifFlag, alphaFlag, iccFlag) = (UInt8(4), UInt8(8), UInt8(16), UInt8(32))
    static let animationFlag = UInt8(2)

    /// A picture encoded by the coder itself.
    static func encoding(
        _ pixels: PixelBuffer, lossless: Bool = false, _ change: (inout EncodeOptions) -> Void = { _ in }
    ) throws -> WebPFile {
        var options = EncodeOptions()
        options[WebPEncoding.self].isLossless = lossless
        change(&options)
        return WebPFile(bytes: try ImageFactory.encoded(pixels, .webp, by: WebPCoder(), options))
    }

    /// A file of these chunks.
    static func riff(_ chunks: [UInt8]...) -> WebPFile {
        WebPFile(bytes: chunk("RIFF", Array("WEBP".utf8) + chunks.joined()))
    }

    /// A file that begins with a VP8X chunk.
    static func extended(_ canvas: PixelSize, _ flags: UInt8, _ chunks: [UInt8]...) -> WebPFile {
        let data = [flags, 0, 0, 0] + number(canvas.width - 1, 3) + number(canvas.height - 1, 3)
        return riff(chunk("VP8X", data), Array(chunks.joined()))
    }

    /// An animation of these frames.
    static func animation(_ canvas: PixelSize, loops: Int = 0, _ frames: [UInt8]...) -> WebPFile {
        let control = chunk("ANIM", [1, 2, 3, 255] + number(loops, 2))
        return extended(canvas, animationFlag | alphaFlag, control, Array(frames.joined()))
    }

    static func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
        Array(name.utf8) + number(data.count, 4) + data + (data.count % 2 == 1 ? [0] : [])
    }

    static func number(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    /// An ANMF chunk around this file's picture.
    func frame(
        _ size: PixelSize, x: Int = 0, y: Int = 0, milliseconds: Int = 100, flags: UInt8 = 0
    ) -> [UInt8] {
        Self.chunk(
            "ANMF",
            Self.number(x / 2, 3) + Self.number(y / 2, 3) + Self.number(size.width - 1, 3)
                + Self.number(size.height - 1, 3) + Self.number(milliseconds, 3) + [flags] + picture)
    }

    /// The chunks that hold pixels.
    var picture: [UInt8] {
        var offset = 12
        var picture: [UInt8] = []
        while offset + 8 <= bytes.count {
            let name = String(decoding: bytes[offset..<offset + 4], as: UTF8.self)
            let length = (0..<4).reduce(0) { $0 | Int(bytes[offset + 4 + $1]) << (8 * $1) }
            let end = min(bytes.count, offset + 8 + length + length % 2)
            if ["ALPH", "VP8 ", "VP8L"].contains(name) { picture += bytes[offset..<end] }
            offset = end
        }
        return picture
    }

    /// The names of the outermost chunks.
    var chunkNames: [String] {
        var offset = 12
        var names: [String] = []
        while offset + 8 <= bytes.count {
            names.append(String(decoding: bytes[offset..<offset + 4], as: UTF8.self))
            let length = (0..<4).reduce(0) { $0 | Int(bytes[offset + 4 + $1]) << (8 * $1) }
            offset += 8 + length + length % 2
        }
        return names
    }

    func prefix(_ count: Int) -> WebPFile { WebPFile(bytes: Array(bytes.prefix(count))) }

    func decoded(_ change: (inout DecodeOptions) -> Void = { _ in }) throws -> DecodedImage {
        var options = DecodeOptions()
        change(&options)
        return try WebPCoder().decode(data, options, WorkContext())
    }

    /// What a complete file's probe says.
    func info() throws -> ImageInfo {
        guard case .info(let info) = try WebPCoder().probe(data.bytes, isComplete: true) else {
            throw ImageError(.truncatedData, stage: .decode, "A complete file needs more bytes.")
        }
        return info
    }

    /// The code of the error that decoding gives; nil where there is none.
    func errorCode(_ change: (inout DecodeOptions) -> Void = { _ in }) -> ImageError.Code? {
        do {
            _ = try decoded(change)
            return nil
        } catch {
            return (error as? ImageError)?.code
        }
    }
}

extension PixelBuffer {
    /// The largest difference of any byte; the greatest number where the pictures are of different kinds.
    func difference(from other: PixelBuffer) -> Int {
        guard size == other.size, format == other.format else { return .max }
        return zip(allBytes, other.allBytes).reduce(0) { max($0, abs(Int($1.0) - Int($1.1))) }
    }

    /// The peak signal-to-noise ratio in dB, over all bytes.
    func psnr(to other: PixelBuffer) -> Double {
        guard size == other.size, format == other.format else { return 0 }
        let sum = zip(allBytes, other.allBytes).reduce(0) { sum, pair in
            let step = Int(pair.0) - Int(pair.1)
            return sum + step * step
        }
        guard sum > 0 else { return .infinity }
        // 10 · log10 by way of log2, which is at hand without the C library.
        let ratio = 255 * 255 * Double(allBytes.count) / Double(sum)
        return 10 * (Double(ratio.exponent) + (ratio.significand - 1)) * 0.30103
    }
}
