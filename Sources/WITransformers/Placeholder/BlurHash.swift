// SPDX-License-Identifier: MIT
public import WICore
internal import WIPixels

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Wolt's BlurHash: a picture's rough look in a short text. It knows neither alpha nor the aspect ratio.
public struct BlurHash: Hashable, Sendable {
    /// The hash.
    public let text: String
    /// Waves across and down; light from 0 to 1, row by row, the mean first.
    private let across: Int
    private let down: Int
    private let waves: [PixelColor]

    /// A hash that was made before.
    ///
    /// - Throws: ``ImageError`` with code `corruptData` when the text is no BlurHash.
    public init(_ text: String) throws(ImageError) {
        let digits = Base83.digits(text)
        guard digits.count == text.utf8.count, digits.count >= 6, digits[0] < 81 else { throw Self.corrupt }
        (across, down) = (digits[0] % 9 + 1, digits[0] / 9 + 1)
        guard digits.count == 4 + 2 * across * down else { throw Self.corrupt }
        let mean = Base83.number(digits[2..<6])
        guard mean < 1 << 24 else { throw Self.corrupt }
        let scale = Float(digits[1] + 1) / 166
        var waves = [Self.light(mean)]
        for index in stride(from: 6, to: digits.count, by: 2) {
            let value = Base83.number(digits[index..<index + 2])
            guard value < 19 * 19 * 19 else { throw Self.corrupt }
            let parts = [value / 361, value / 19 % 19, value % 19].map { Self.strength($0) * scale }
            waves.append(PixelColor(parts[0], parts[1], parts[2], 0))
        }
        self.waves = waves
        self.text = text
    }

    private static let corrupt = ImageError(.corruptData, stage: .decode, "The text is no BlurHash.")

    private static func light(_ color: Int) -> PixelColor {
        let parts = [color >> 16, color >> 8 & 255, color & 255].map {
            Float(LinearLight.light(of: Double($0) / 255))
        }
        return PixelColor(parts[0], parts[1], parts[2], 0)
    }

    private static func strength(_ step: Int) -> Float {
        let value = (Float(step) - 9) / 9
        return value * abs(value)
    }

    /// The hash of a picture; what is transparent counts as black.
    ///
    /// - Parameters:
    ///   - pixels: The picture.
    ///   - across: Waves from left to right, 1 to 9. Default 4.
    ///   - down: Waves from top to bottom, 1 to 9. Default 3.
    ///   - work: Says when nobody wants the hash any more.
    /// - Throws: ``ImageError`` with code `invalidArgument`, `outOfMemory` or `cancelled`.
    public init(
        _ pixels: PixelBuffer, across: Int = 4, down: Int = 3, _ work: borrowing WorkContext = WorkContext()
    ) throws {
        try Parameter.check(Double(across), 1...9, "The number of waves across")
        try Parameter.check(Double(down), 1...9, "The number of waves down")
        let small = try pixels.reduced(100, work)
        try self.init(Self.text(Self.waves(small, across, down), across, down))
    }

    private static func waves(_ pixels: PixelBuffer, _ across: Int, _ down: Int) -> [PixelColor] {
        let light = pixels.colors(as: .premultiplied).map { color in
            let parts = (0..<3).map { Float(LinearLight.light(of: Double(color[$0]))) }
            return PixelColor(parts[0], parts[1], parts[2], 0)
        }
        let columns = CosineBasis(across, length: pixels.width, offset: 0)
        let rows = CosineBasis(down, length: pixels.height, offset: 0)
        return (0..<across * down).map { wave in
            var sum = PixelColor.zero
            for index in light.indices {
                let (x, y) = (index % pixels.width, index / pixels.width)
                sum += light[index] * (columns[wave % across, x] * rows[wave / across, y])
            }
            return sum * (wave == 0 ? 1 : 2) / Float(light.count)
        }
    }

    private static func text(_ waves: [PixelColor], _ across: Int, _ down: Int) -> String {
        let strongest = waves.dropFirst().map { max(abs($0.x), abs($0.y), abs($0.z)) }.max() ?? 0
        let step = waves.count > 1 ? min(max(Int(strongest * 166 - 0.5), 0), 82) : 0
        let scale = Float(step + 1) / 166
        var text = Base83.text(across - 1 + (down - 1) * 9, 1) + Base83.text(step, 1)
        let mean = (0..<3).reduce(0) { sum, part in
            let light = Double(min(max(waves[0][part], 0), 1))
            return sum << 8 | Int(LinearLight.stored(for: light) * 255 + 0.5)
        }
        text += Base83.text(mean, 4)
        for wave in waves.dropFirst() {
            let steps = (0..<3).map { part -> Int in
                let value = wave[part] / scale
                let root = value < 0 ? -(-value).squareRoot() : value.squareRoot()
                return min(max(Int((root * 9 + 9.5).rounded(.down)), 0), 18)
            }
            text += Base83.text(steps[0] * 361 + steps[1] * 19 + steps[2], 2)
        }
        return text
    }

    /// The mean of the picture's colours.
    public var averageColor: SRGBColor { Self.stored(waves[0]) }

    private static func stored(_ light: PixelColor) -> SRGBColor {
        let parts = (0..<3).map { LinearLight.stored(for: Double(min(max(light[$0], 0), 1))) }
        return SRGBColor(red: parts[0], green: parts[1], blue: parts[2])
    }

    /// The picture at `size`, opaque `rgba8`.
    ///
    /// - Throws: ``ImageError`` with code `invalidArgument` or `dimensionLimit` for sizes that cannot be, or `outOfMemory`.
    public func pixels(_ size: PixelSize) throws -> PixelBuffer {
        try SizeLimit.check(size, "A placeholder of \(size)")
        guard size.width > 0, size.height > 0 else {
            throw ImageError(
                .invalidArgument, stage: .transform, "A placeholder cannot have the size \(size).")
        }
        let columns = CosineBasis(across, length: size.width, offset: 0)
        let rows = CosineBasis(down, length: size.height, offset: 0)
        return try PixelBuffer.painted(size, .rgba8, .opaque, from: .straight, WorkContext()) { row, y in
            for x in row.indices {
                var light = PixelColor.zero
                for index in waves.indices {
                    light += waves[index] * (columns[index % across, x] * rows[index / across, y])
                }
                row[x] = Self.stored(light).straight
            }
        }
    }
}

/// Numbers in the digits of BlurHash.
private enum Base83 {
    static let characters = Array(
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~".utf8)

    /// The digits of a text, as far as they are some.
    static func digits(_ text: String) -> [Int] { text.utf8.compactMap { characters.firstIndex(of: $0) } }

    static func number(_ digits: ArraySlice<Int>) -> Int { digits.reduce(0) { $0 * 83 + $1 } }

    static func text(_ number: Int, _ length: Int) -> String {
        var rest = number
        var digits: [UInt8] = []
        for _ in 0..<length {
            digits.append(characters[rest % 83])
            rest /= 83
        }
        return String(decoding: digits.reversed(), as: UTF8.self)
    }
}
