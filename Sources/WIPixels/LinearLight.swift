// SPDX-License-Identifier: MIT
package import WICore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The curve of sRGB (IEC 61966-2-1), as tables between stored values and 16 bits that are proportional to light.
package struct LinearLight: Sendable {
    /// Light by stored value of 8 bits.
    let light8: [UInt16]
    /// Light by stored value of 16 bits, and back.
    let light16: [UInt16]
    let stored16: [UInt16]

    /// The tables, made when first needed.
    package static let tables = LinearLight()

    private init() {
        light8 = (0..<256).map { Self.sample(Self.light(of: Double($0) / 255)) }
        light16 = (0..<65_536).map { Self.sample(Self.light(of: Double($0) / 65_535)) }
        stored16 = (0..<65_536).map { Self.sample(Self.stored(for: Double($0) / 65_535)) }
    }

    private static func sample(_ value: Double) -> UInt16 { UInt16((value * 65_535).rounded()) }

    /// Light from 0 to 1 of a stored value from 0 to 1.
    package static func light(of stored: Double) -> Double {
        stored <= 0.04045 ? stored / 12.92 : pow((stored + 0.055) / 1.055, 2.4)
    }

    /// The stored value from 0 to 1 of a light from 0 to 1.
    package static func stored(for light: Double) -> Double {
        light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055
    }
}

extension PixelBuffer {
    /// As `resized`, but averages light instead of stored values: what shrinks keeps its brightness.
    ///
    /// - Throws: as `resized`.
    package func resizedInLinearLight(
        to size: PixelSize, from region: SourceRegion? = nil, filter: ResamplingFilter,
        _ work: borrowing WorkContext
    ) throws(ImageError) -> PixelBuffer {
        if filter == .nearest || (size == self.size && (region == nil || region == SourceRegion(size))) {
            return try resized(to: size, from: region, filter: filter, work)
        }
        guard alphaMode != .premultiplied else {
            return try converted(to: format, alphaMode: .straight)
                .resizedInLinearLight(to: size, from: region, filter: filter, work)
                .converted(to: format, alphaMode: .premultiplied)
        }
        let weighs = alphaMode == .straight && !isOpaque()
        var resampler = try RowResampler(
            Resampling(from: self.size, region, to: size, filter), format: .rgba16, alphaMode: alphaMode,
            weighsByAlpha: weighs, scalar: false)
        let row = UnsafeMutablePointer<UInt16>.allocate(capacity: 4 * width)
        defer { row.deallocate() }
        for y in 0..<height {
            if y % 16 == 0 { try work.checkCancellation(.transform) }
            lightenRow(y, into: UnsafeMutableBufferPointer(start: row, count: 4 * width))
            resampler.push(row, bytesPerRow: 8 * width, count: 1)
        }
        return try resampler.publish().stored(as: format)
    }

    /// Row `y` as light, in this picture's order of channels.
    private func lightenRow(_ y: Int, into row: UnsafeMutableBufferPointer<UInt16>) {
        let tables = LinearLight.tables
        withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            let source = base + y * bytesPerRow
            for index in row.indices {
                let isAlpha = index & 3 == 3
                if format.bitsPerChannel == 8 {
                    let value = source.load(fromByteOffset: index, as: UInt8.self)
                    row[index] = isAlpha ? UInt16(value) * 257 : tables.light8[Int(value)]
                } else {
                    let value = source.load(fromByteOffset: 2 * index, as: UInt16.self)
                    row[index] = isAlpha ? value : tables.light16[Int(value)]
                }
            }
        }
    }

    /// 16 bits of light as stored values of `format`, in this picture's order of channels.
    private func stored(as format: PixelFormat) throws(ImageError) -> PixelBuffer {
        var target = try MutablePixels(
            uninitialized: width, height: height, format: format, alphaMode: alphaMode)
        let stored = LinearLight.tables.stored16
        withUnsafeBytes { source in
            target.withUnsafeMutableBytes { bytes in
                for index in 0..<4 * width * height {
                    let light = source.load(fromByteOffset: 2 * index, as: UInt16.self)
                    let value = index & 3 == 3 ? light : stored[Int(light)]
                    if format.bitsPerChannel == 8 {
                        bytes[index] = UInt8((UInt32(value) * 255 + 32_767) / 65_535)
                    } else {
                        bytes.storeBytes(of: value, toByteOffset: 2 * index, as: UInt16.self)
                    }
                }
            }
        }
        return target.publish()
    }
}
