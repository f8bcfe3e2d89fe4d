// SPDX-License-Identifier: MIT
internal import WICore

/// The samples of a picture as RGBA of 8 bits, whatever its format, to be compared.
struct Samples {
    let size: PixelSize
    let alphaMode: AlphaMode
    private(set) var values: [UInt8]

    init(_ pixels: PixelBuffer) {
        size = pixels.size
        alphaMode = pixels.alphaMode
        values = []
        values.reserveCapacity(4 * size.width * size.height)
        let isWide = pixels.format.bitsPerChannel == 16
        let order = pixels.format.order == .bgra ? [2, 1, 0, 3] : [0, 1, 2, 3]
        pixels.withBytes { bytes in
            for y in 0..<pixels.height {
                for x in 0..<pixels.width {
                    let start = y * pixels.bytesPerRow + x * pixels.format.bytesPerPixel
                    for channel in order {
                        values.append(
                            isWide
                                ? UInt8(
                                    bytes.unsafeLoad(fromByteOffset: start + 2 * channel, as: UInt16.self)
                                        >> 8)
                                : bytes.unsafeLoad(fromByteOffset: start + channel, as: UInt8.self))
                    }
                }
            }
        }
    }

    var isOpaque: Bool { !values.indices.contains { $0 % 4 == 3 && values[$0] < 255 } }

    /// Colours multiplied by alpha.
    var premultiplied: Samples {
        alphaMode == .straight ? blended(on: 0, .premultiplied) : self
    }

    /// What is seen on white.
    var onWhite: Samples {
        guard alphaMode == .premultiplied else { return blended(on: 255, .opaque) }
        var result = self
        for index in values.indices where index % 4 < 3 {
            result.values[index] = values[index] &+ (255 - values[index | 3])
        }
        return result
    }

    private func blended(on ground: Int, _ alphaMode: AlphaMode) -> Samples {
        var result = Samples(size: size, alphaMode: alphaMode, values: values)
        for index in values.indices where index % 4 < 3 {
            let alpha = Int(values[index | 3])
            result.values[index] = UInt8((Int(values[index]) * alpha + ground * (255 - alpha) + 127) / 255)
        }
        return result
    }

    private init(size: PixelSize, alphaMode: AlphaMode, values: [UInt8]) {
        self.size = size
        self.alphaMode = alphaMode
        self.values = values
    }

    /// The largest difference of a sample; 256 where the sizes differ.
    func distance(to other: Samples) -> Int {
        guard size == other.size else { return 256 }
        return zip(values, other.values).reduce(0) { max($0, abs(Int($1.0) - Int($1.1))) }
    }

    /// The mean difference of the colour samples of pixels that are opaque here; 256 where the sizes differ.
    ///
    /// Not every format has an alpha of more than one bit.
    func meanDistance(to other: Samples) -> Double {
        guard size == other.size else { return 256 }
        let compared = values.indices.filter { $0 % 4 < 3 && values[$0 | 3] == 255 }
        let sum = compared.reduce(0) { $0 + abs(Int(values[$1]) - Int(other.values[$1])) }
        return Double(sum) / Double(max(1, compared.count))
    }
}
