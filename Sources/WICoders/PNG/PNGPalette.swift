// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import PNGShim
internal import WICore

/// The colours of a picture that has few, freed with their owner.
final class PNGPalette {
    let handle: OpaquePointer

    /// Takes over what `wi_png_palette_find` gave; nil where it found more colours, no memory, or no time.
    init?(_ handle: OpaquePointer?) {
        guard let handle else { return nil }
        self.handle = handle
    }

    deinit { wi_png_palette_free(handle) }

    var count: Int { Int(wi_png_palette_count(handle)) }

    /// Bits of an index.
    var depth: Int {
        switch count {
        case ...2: 1
        case ...4: 2
        case ...16: 4
        default: 8
        }
    }

    /// What PLTE holds: red, green and blue of each entry.
    var colors: Data {
        var data = Data(capacity: 3 * count)
        for index in 0..<count { data.append(contentsOf: color(index).prefix(3)) }
        return data
    }

    /// What tRNS holds: alpha of the entries that come first; empty where all are opaque.
    var alphas: Data {
        var data = Data()
        for index in 0..<Int(wi_png_palette_transparent(handle)) { data.append(color(index)[3]) }
        return data
    }

    private func color(_ index: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 4) { bytes, count in
            wi_png_palette_color(handle, Int32(index), bytes.baseAddress)
            count = 4
        }
    }
}
