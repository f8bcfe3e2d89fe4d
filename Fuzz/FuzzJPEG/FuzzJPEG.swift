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
    let coder = JPEGCoder()
    for length in [count / 2, count] {
        _ = try? coder.probe(data.prefix(length).bytes, isComplete: length == count)
    }
    _ = EXIFOrientation.orientation(inTIFF: data.bytes)
    precondition(EXIFOrientation.rewriting(data, to: .up).count == count)
    var options = DecodeOptions()
    options.limits.pixels = 1_000_000
    options.limits.scans = 20
    // One byte chooses the way, so that all of them are met.
    let way = bytes[count / 3]
    if way & 1 != 0 { options.thumbnailSize = PixelSize(width: 16, height: 16) }
    if way & 2 != 0 { options.pixelFormat = way & 8 != 0 ? .bgra8 : .rgba16 }
    if way & 4 != 0 { options.appliesOrientation = false }
    if way & 16 != 0 { options[JPEGDecoding.self].interpolatesChroma = false }
    if way & 96 == 96 { options[JPEGDecoding.self].strictness = .strict }
    if let image = try? coder.decode(data, options, WorkContext()) {
        precondition(image.metadata.storedSize.width > 0)
        precondition(image.pixels.byteCount.bytes == image.pixels.bytesPerRow * image.pixels.height)
    }
    feed(data, options, step: 1 + count / 7)
    return 0
}

/// The file as it arrives.
func feed(_ data: Data, _ options: DecodeOptions, step: Int) {
    guard let decoder = try? JPEGCoder().makeProgressiveDecoder(options) else { return }
    for start in stride(from: 0, to: data.count, by: step) {
        let part = Data(data[start..<min(data.count, start + step)])
        guard (try? decoder.append(part.bytes, WorkContext())) != nil else { return }
        guard let pixels = try? decoder.preview(WorkContext())?.pixels else { continue }
        precondition(pixels.byteCount.bytes == pixels.bytesPerRow * pixels.height)
    }
}

@main struct FuzzJPEG {
    static func main() {
        var argumentCount = CommandLine.argc
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
        exit(LLVMFuzzerRunDriver(&argumentCount, &arguments, fuzzOne))
    }
}
