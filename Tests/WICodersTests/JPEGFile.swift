// SPDX-License-Identifier: MIT
import FoundationEssentials
import WICoders
import WICore
import WITestKit

/// A JPEG file that tests take apart and put together again.
struct JPEGFile {
    var bytes: [UInt8]

    var data: Data { Data(bytes) }

    /// A picture that looks like a photograph, encoded by the coder itself.
    static func photo(
        _ width: Int, _ height: Int, seed: UInt64 = 1, _ change: (inout EncodeOptions) -> Void = { _ in }
    ) throws -> JPEGFile {
        try encoding(try ImageFactory.photoLike(width, height, seed: seed), change)
    }

    static func encoding(
        _ pixels: PixelBuffer, _ change: (inout EncodeOptions) -> Void = { _ in }
    ) throws -> JPEGFile {
        var options = EncodeOptions()
        change(&options)
        return JPEGFile(bytes: try ImageFactory.encoded(pixels, .jpeg, by: JPEGCoder(), options))
    }

    static func progressive(_ width: Int, _ height: Int) throws -> JPEGFile {
        try photo(width, height) { $0[JPEGEncoding.self].isProgressive = true }
    }

    /// Puts a marker segment directly behind the start of the file.
    func inserting(_ marker: UInt8, _ payload: [UInt8]) -> JPEGFile {
        let length = payload.count + 2
        let segment = [0xFF, marker, UInt8(length >> 8), UInt8(length & 0xFF)] + payload
        return JPEGFile(bytes: bytes[..<2] + segment + bytes[2...])
    }

    func insertingEXIF(_ orientation: Int, bigEndian: Bool = false) -> JPEGFile {
        inserting(0xE1, Array("Exif\0\0".utf8) + Self.exif(orientation, bigEndian: bigEndian))
    }

    /// A TIFF stream with one entry: the orientation.
    static func exif(_ orientation: Int, bigEndian: Bool = false) -> [UInt8] {
        func short(_ value: Int) -> [UInt8] {
            let (high, low) = (UInt8(value >> 8 & 0xFF), UInt8(value & 0xFF))
            return bigEndian ? [high, low] : [low, high]
        }
        func long(_ value: Int) -> [UInt8] {
            bigEndian ? short(value >> 16) + short(value) : short(value) + short(value >> 16)
        }
        let order: [UInt8] = bigEndian ? [0x4D, 0x4D] : [0x49, 0x49]
        let entry = short(0x0112) + short(3) + long(1) + short(orientation) + short(0)
        return order + short(42) + long(8) + short(1) + entry + long(0)
    }

    /// Where the markers of one kind begin.
    ///
    /// Right for segments and scans, as data have a 0 behind each 0xFF.
    func offsets(of marker: UInt8) -> [Int] {
        bytes.indices.dropLast().filter { bytes[$0] == 0xFF && bytes[$0 + 1] == marker }
    }

    func prefix(_ count: Int) -> JPEGFile { JPEGFile(bytes: Array(bytes.prefix(count))) }

    func decoded(_ change: (inout DecodeOptions) -> Void = { _ in }) throws -> DecodedImage {
        var options = DecodeOptions()
        change(&options)
        return try JPEGCoder().decode(data, options, WorkContext())
    }

    func probed(isComplete: Bool = true) throws -> Probe {
        try JPEGCoder().probe(data.bytes, isComplete: isComplete)
    }

    func info() throws -> ImageInfo? {
        guard case .info(let info) = try probed() else { return nil }
        return info
    }
}

extension PixelBuffer {
    /// The channels of one pixel, for formats of 8 bits.
    func pixel(_ x: Int, _ y: Int) -> [Int] {
        withUnsafeBytes { bytes in
            let start = y * bytesPerRow + x * 4
            return bytes[start..<start + 4].map(Int.init)
        }
    }

    /// The bytes of some rows.
    func rows(_ range: Range<Int>) -> [UInt8] {
        withUnsafeBytes { Array($0[range.lowerBound * bytesPerRow..<range.upperBound * bytesPerRow]) }
    }

    var allBytes: [UInt8] { rows(0..<height) }

    /// The mean difference over all channels of two pictures of one size.
    func meanDifference(_ other: PixelBuffer) -> Double {
        guard size == other.size else { return .infinity }
        let sum = zip(allBytes, other.allBytes).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
        return Double(sum) / Double(max(1, width * height * 4))
    }
}

/// The code of the error that `body` throws; nil when it throws none.
func errorCode<Result>(_ body: () throws -> Result) -> ImageError.Code? {
    do {
        _ = try body()
        return nil
    } catch {
        return (error as? ImageError)?.code
    }
}
