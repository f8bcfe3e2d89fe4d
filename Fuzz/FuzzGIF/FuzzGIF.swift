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

func decode(_ data: Data, choice: UInt8) {
    let coder = GIFCoder()
    for length in [data.count / 2, data.count] {
        _ = try? coder.probe(data.prefix(length).bytes, isComplete: length == data.count)
    }
    var options = DecodeOptions()
    options.limits.pixels = 1_000_000
    // Some byte of the file chooses the way, so that all of them are met.
    if choice & 1 != 0 { options.thumbnailSize = PixelSize(width: 16, height: 16) }
    if choice & 2 != 0 { options.pixelFormat = .rgba16 }
    if choice & 4 != 0 { options.firstFrameOnly = true }
    if choice & 8 != 0 { options.premultiplies = true }
    if choice & 48 == 48 { options.pixelFormat = .bgra8 }
    if let image = try? coder.decode(data, options, WorkContext()) {
        precondition(image.pixels.byteCount.bytes == image.pixels.bytesPerRow * image.pixels.height)
        play(image, choice)
    }
    options.limits.compositedPixels = 2_000_000
    feed(data, options, step: 1 + data.count / 7)
}

/// The file as it arrives.
func feed(_ data: Data, _ options: DecodeOptions, step: Int) {
    guard let decoder = try? GIFCoder().makeProgressiveDecoder(options) else { return }
    for start in stride(from: 0, to: data.count, by: step) {
        let part = Data(data[start..<min(data.count, start + step)])
        guard (try? decoder.append(part.bytes, WorkContext())) != nil else { return }
        guard let pixels = try? decoder.preview(WorkContext())?.pixels else { continue }
        precondition(pixels.byteCount.bytes == pixels.bytesPerRow * pixels.height)
    }
}

/// Some of the frames, in an order of their own, and all of them written again.
func play(_ image: DecodedImage, _ choice: UInt8) {
    guard let source = image.frames, source.canvasSize.width * source.canvasSize.height < 100_000,
        let reader = try? source.makeReader()
    else { return }
    for index in [Int(choice) % source.frames.count, source.frames.count - 1, 0] where index < 40 {
        if let pixels = try? reader.frame(at: index, WorkContext()) {
            precondition(pixels.size == source.canvasSize)
        }
    }
    if source.frames.count < 20, choice & 64 != 0 {
        _ = try? GIFCoder().encode(image, as: .gif, EncodeOptions(), WorkContext())
    }
}

@_cdecl("LLVMFuzzerTestOneInput")
func fuzzOne(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let bytes, count > 0 else { return 0 }
    decode(Data(bytes: bytes, count: count), choice: bytes[count / 3])
    return 0
}

@main struct FuzzGIF {
    static func main() {
        var argumentCount = CommandLine.argc
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
        exit(LLVMFuzzerRunDriver(&argumentCount, &arguments, fuzzOne))
    }
}
