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

@_cdecl("LLVMFuzzerTestOneInput")
func fuzzOne(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let bytes, count > 0 else { return 0 }
    let data = Data(bytes: bytes, count: count)
    let coder = WebPCoder()
    for length in [count / 2, count] {
        _ = try? coder.probe(data.prefix(length).bytes, isComplete: length == count)
    }
    var options = DecodeOptions()
    options.limits.pixels = 1_000_000
    // One byte chooses the way, so that all of them are met.
    let way = bytes[count / 3]
    if way & 1 != 0 { options.thumbnailSize = PixelSize(width: 16, height: 16) }
    if way & 2 != 0 { options.pixelFormat = way & 8 != 0 ? .bgra8 : .rgba16 }
    if way & 4 != 0 { options.appliesOrientation = false }
    if way & 16 != 0 { options.premultiplies = true }
    if way & 96 == 96 { options[WebPDecoding.self].strictness = .strict }
    if let image = try? coder.decode(data, options, WorkContext()) {
        precondition(image.metadata.storedSize.width > 0)
        precondition(image.pixels.byteCount.bytes == image.pixels.bytesPerRow * image.pixels.height)
        precondition(image.pixels.alphaMode != .opaque || isOpaque(image.pixels))
    }
    readFrames(data, options)
    feed(data, options, step: 1 + count / 7)
    return 0
}

/// The last frames of an animation, the last one first.
func readFrames(_ data: Data, _ options: DecodeOptions) {
    var options = options
    options.limits.compositedPixels = 2_000_000
    guard let source = try? WebPCoder().frameSource(data, options), let reader = try? source.makeReader()
    else {
        return
    }
    for index in source.frames.indices.suffix(4).reversed() {
        guard let frame = try? reader.frame(at: index, WorkContext()) else { continue }
        precondition(frame.size == source.canvasSize)
        precondition(frame.alphaMode != .opaque || isOpaque(frame))
    }
}

/// The file as it arrives.
func feed(_ data: Data, _ options: DecodeOptions, step: Int) {
    let decoder = WebPCoder().makeProgressiveDecoder(options)
    for start in stride(from: 0, to: data.count, by: step) {
        let part = Data(data[start..<min(data.count, start + step)])
        guard (try? decoder.append(part.bytes, WorkContext())) != nil else { return }
        _ = try? decoder.preview(WorkContext())
    }
}

/// Whether every pixel is at full alpha, looked at byte by byte.
func isOpaque(_ pixels: PixelBuffer) -> Bool {
    let alphaBytes = pixels.format.bytesPerPixel / 4
    return pixels.withBytes { bytes in
        stride(from: 0, to: bytes.byteCount, by: alphaBytes * 4).allSatisfy { pixel in
            (alphaBytes * 3..<alphaBytes * 4).allSatisfy {
                bytes.unsafeLoad(fromByteOffset: pixel + $0, as: UInt8.self) == 255
            }
        }
    }
}

@main struct FuzzWebP {
    static func main() {
        var argumentCount = CommandLine.argc
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
        exit(LLVMFuzzerRunDriver(&argumentCount, &arguments, fuzzOne))
    }
}
