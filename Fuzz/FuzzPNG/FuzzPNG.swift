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
    let coder = PNGCoder()
    for length in [count / 2, count] {
        _ = try? coder.probe(data.prefix(length).bytes, isComplete: length == count)
    }
    var options = DecodeOptions()
    options.limits.pixels = 1_000_000
    options.limits.scans = 20
    // The first bytes choose the way, so that all of them are met.
    if bytes[count / 3] & 1 != 0 { options.thumbnailSize = PixelSize(width: 16, height: 16) }
    if bytes[count / 3] & 2 != 0 { options.pixelFormat = .rgba16 }
    if bytes[count / 3] & 4 != 0 { options.appliesOrientation = false }
    if let image = try? coder.decode(data, options, WorkContext()) {
        precondition(image.pixels.byteCount.bytes == image.pixels.bytesPerRow * image.pixels.height)
    }
    return 0
}

@main struct FuzzPNG {
    static func main() {
        var argumentCount = CommandLine.argc
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
        exit(LLVMFuzzerRunDriver(&argumentCount, &arguments, fuzzOne))
    }
}
