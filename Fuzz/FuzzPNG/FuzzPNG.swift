// SPDX-License-Identifier: MIT
import FoundationEssentials
import FuzzShim
import WICoders
import WICore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The chunks' checksums made right: damage then reaches what lies behind them.
func repairingChecksums(_ data: Data) -> Data {
    var bytes = Array(data)
    var offset = 8
    while offset + 12 <= bytes.count {
        let length = bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
        guard length <= bytes.count - offset - 12 else { break }
        let end = offset + 8 + length
        let checksum = ~bytes[offset + 4..<end].reduce(UInt32.max) { value, byte in
            (0..<8).reduce(value ^ UInt32(byte)) { crc, _ in crc & 1 == 1 ? 0xEDB8_8320 ^ crc >> 1 : crc >> 1
            }
        }
        for index in 0..<4 {
            bytes[end + index] = UInt8(truncatingIfNeeded: checksum >> (24 - 8 * UInt32(index)))
        }
        offset = end + 4
    }
    return Data(bytes)
}

func decode(_ data: Data, choice: UInt8) {
    let coder = PNGCoder()
    for length in [data.count / 2, data.count] {
        _ = try? coder.probe(data.prefix(length).bytes, isComplete: length == data.count)
    }
    var options = DecodeOptions()
    options.limits.pixels = 1_000_000
    // Some byte of the file chooses the way, so that all of them are met.
    if choice & 1 != 0 { options.thumbnailSize = PixelSize(width: 16, height: 16) }
    if choice & 2 != 0 { options.pixelFormat = .rgba16 }
    if choice & 4 != 0 { options.appliesOrientation = false }
    if choice & 8 != 0 { options.premultiplies = true }
    if choice & 48 == 48 { options.pixelFormat = .bgra8 }
    if let image = try? coder.decode(data, options, WorkContext()) {
        precondition(image.pixels.byteCount.bytes == image.pixels.bytesPerRow * image.pixels.height)
    }
    options.limits.compositedPixels = 2_000_000
    readFrames(data, options)
    feed(data, options, step: 1 + data.count / 7)
}

/// The last frames of an animation, the last one first.
func readFrames(_ data: Data, _ options: DecodeOptions) {
    guard let source = try? PNGCoder().frameSource(data, options), let reader = try? source.makeReader()
    else { return }
    for index in source.frames.indices.suffix(4).reversed() {
        guard let frame = try? reader.frame(at: index, WorkContext()) else { continue }
        precondition(frame.size == source.canvasSize)
    }
}

/// The file as it arrives.
func feed(_ data: Data, _ options: DecodeOptions, step: Int) {
    guard let decoder = try? PNGCoder().makeProgressiveDecoder(options) else { return }
    for start in stride(from: 0, to: data.count, by: step) {
        let part = Data(data[start..<min(data.count, start + step)])
        guard (try? decoder.append(part.bytes, WorkContext())) != nil else { return }
        guard let pixels = try? decoder.preview(WorkContext())?.pixels else { continue }
        precondition(pixels.byteCount.bytes == pixels.bytesPerRow * pixels.height)
    }
}

@_cdecl("LLVMFuzzerTestOneInput")
func fuzzOne(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let bytes, count > 0 else { return 0 }
    let data = Data(bytes: bytes, count: count)
    decode(data, choice: bytes[count / 3])
    decode(repairingChecksums(data), choice: bytes[count / 3])
    return 0
}

@main struct FuzzPNG {
    static func main() {
        var argumentCount = CommandLine.argc
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
        exit(LLVMFuzzerRunDriver(&argumentCount, &arguments, fuzzOne))
    }
}
