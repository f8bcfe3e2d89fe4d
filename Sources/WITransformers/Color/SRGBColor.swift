// SPDX-License-Identifier: MIT
internal import WICore
internal import WIPixels

/// A colour in sRGB (IEC 61966-2-1), not multiplied by alpha. Its parts go from 0 to 1.
public struct SRGBColor: Hashable, Sendable {
    /// Red, from 0 to 1.
    public var red: Double
    /// Green, from 0 to 1.
    public var green: Double
    /// Blue, from 0 to 1.
    public var blue: Double
    /// From 0, transparent, to 1, opaque.
    public var alpha: Double

    /// A colour of these parts. Nothing is checked here: a transformer refuses what does not lie between 0 and 1.
    public init(red: Double, green: Double, blue: Double, alpha: Double = 1) {
        self.red = red
        self.green = green
        self.blue = blue
        self.alpha = alpha
    }

    /// A colour as CSS writes it in hexadecimal digits: `#rgb`, `#rgba`, `#rrggbb` or `#rrggbbaa`, with or without `#`; nil
    /// for everything else.
    public init?(hex: some StringProtocol) {
        let digits = hex.utf8.drop { $0 == UInt8(ascii: "#") }
        guard hex.utf8.count - digits.count <= 1, digits.allSatisfy({ Self.value($0) != nil }) else {
            return nil
        }
        let values = digits.compactMap(Self.value)
        let parts: [Int]
        switch values.count {
        case 3, 4: parts = values.map { $0 * 17 }
        case 6, 8: parts = stride(from: 0, to: values.count, by: 2).map { values[$0] * 16 + values[$0 + 1] }
        default: return nil
        }
        let numbers = parts.map { Double($0) / 255 }
        self.init(
            red: numbers[0], green: numbers[1], blue: numbers[2], alpha: numbers.count > 3 ? numbers[3] : 1)
    }

    private static func value(_ digit: UInt8) -> Int? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(digit) - 48
        case UInt8(ascii: "a")...UInt8(ascii: "f"): Int(digit) - 87
        case UInt8(ascii: "A")...UInt8(ascii: "F"): Int(digit) - 55
        default: nil
        }
    }

    /// Nothing.
    public static let clear = SRGBColor(red: 0, green: 0, blue: 0, alpha: 0)
    /// Black.
    public static let black = SRGBColor(red: 0, green: 0, blue: 0)
    /// White.
    public static let white = SRGBColor(red: 1, green: 1, blue: 1)

    /// In eight bits a part: `#rrggbb`, or `#rrggbbaa` where it is not opaque. Parts beyond 0 and 1 count as these.
    public var hex: String {
        let parts = [red, green, blue] + (alpha < 1 ? [alpha] : [])
        return "#"
            + parts.map { part in
                let byte = UInt8(min(max(part.isNaN ? 0 : part, 0), 1) * 255 + 0.5)
                return (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }.joined()
    }
}

extension SRGBColor {
    /// For keys.
    var key: String { [red, green, blue, alpha].map(KeyPart.number).joined(separator: "/") }

    func check(_ name: String) throws(ImageError) {
        for part in [red, green, blue, alpha] { try Parameter.check(part, 0...1, "A part of \(name)") }
    }

    var straight: PixelColor { PixelColor(Float(red), Float(green), Float(blue), Float(alpha)) }

    var premultiplied: PixelColor {
        var color = straight * Float(alpha)
        color.w = Float(alpha)
        return color
    }

    /// A colour of 32-bit floats, straight.
    init(_ color: PixelColor) {
        self.init(
            red: Double(color.x), green: Double(color.y), blue: Double(color.z), alpha: Double(color.w))
    }
}

/// A colour at a place between 0 and 1, of a run of colours.
public struct ColorStop: Hashable, Sendable {
    /// The colour there.
    public var color: SRGBColor
    /// The place, from 0 to 1.
    public var location: Double

    /// A colour at a place. Nothing is checked here: a transformer refuses what does not lie between 0 and 1.
    public init(_ color: SRGBColor, at location: Double) {
        self.color = color
        self.location = location
    }
}
