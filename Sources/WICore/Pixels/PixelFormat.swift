// SPDX-License-Identifier: MIT

/// How one pixel lies in memory: channels, bits and order.
public struct PixelFormat: Hashable, Sendable, CustomStringConvertible {
    /// The order in which the channels lie, lowest address first.
    public enum ChannelOrder: Hashable, Sendable {
        /// Red, green, blue, alpha.
        case rgba
        /// Blue, green, red, alpha.
        case bgra
    }

    /// Channels of a pixel.
    public let channels: Int
    /// Bits of each channel; 16-bit channels are in the machine's byte order.
    public let bitsPerChannel: Int
    /// Which channel comes first.
    public let order: ChannelOrder

    private init(channels: Int, bitsPerChannel: Int, order: ChannelOrder) {
        self.channels = channels
        self.bitsPerChannel = bitsPerChannel
        self.order = order
    }

    /// Red, green, blue, alpha; 8 bits each. The default.
    public static let rgba8 = PixelFormat(channels: 4, bitsPerChannel: 8, order: .rgba)
    /// Blue, green, red, alpha; 8 bits each.
    public static let bgra8 = PixelFormat(channels: 4, bitsPerChannel: 8, order: .bgra)
    /// Red, green, blue, alpha; 16 bits each, in the machine's byte order.
    public static let rgba16 = PixelFormat(channels: 4, bitsPerChannel: 16, order: .rgba)

    /// Bytes from one pixel to the next in its row.
    public var bytesPerPixel: Int { channels * bitsPerChannel / 8 }

    /// For example `rgba8`.
    public var description: String { "\(order)\(bitsPerChannel)" }
}

/// What the alpha channel means.
public enum AlphaMode: String, Hashable, Sendable {
    /// Every pixel is opaque: alpha is at its maximum everywhere.
    case opaque
    /// Colour values are independent of alpha. The default where there is alpha.
    case straight
    /// Colour values are already multiplied by alpha.
    case premultiplied
}
