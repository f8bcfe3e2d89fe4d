// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import GIFShim
internal import WICore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Pixels of one frame: 0 where nothing is painted, else an opaque colour.
struct GIFCutOut {
    let area: wi_gif_rectangle
    let pixels: [UInt32]
    let hasHoles: Bool

    /// What `next` has in `area` and `shown` has not, all where that is nil; canvases are `width` wide.
    init(
        _ shown: UnsafePointer<UInt32>?, _ next: UnsafePointer<UInt32>?, _ width: Int,
        _ area: wi_gif_rectangle
    ) {
        self.area = area
        pixels = [UInt32](unsafeUninitializedCapacity: area.width * area.height) { target, count in
            guard let base = target.baseAddress else { return }
            wi_gif_cut_out(shown, next, width, area, base)
            count = area.width * area.height
        }
        hasHoles = wi_gif_has_holes(pixels, pixels.count)
    }
}

/// Finds colour tables, and the indices that show pixels by them.
struct GIFIndexer {
    private let settings: GIFEncoding
    /// Entries of a table.
    private let most: Int

    init(_ settings: GIFEncoding) {
        self.settings = settings
        most = min(max(settings.colors, 2), 256)
    }

    /// The exact colours of the pixels, or, where they are too many, those that show them best.
    ///
    /// There is an entry for what is not painted where the pixels need one; with `sparesHole` also where they do not, if
    /// that costs no colour that is exact.
    /// - Throws: `outOfMemory`.
    func table(
        _ cutOut: GIFCutOut, sparesHole: Bool
    ) throws(ImageError) -> (table: GIFColorTable, isExact: Bool) {
        var colors = [UInt32](repeating: 0, count: 256)
        var used = 0
        let room = cutOut.hasHoles ? most - 1 : most
        if wi_gif_exact_palette(cutOut.pixels, cutOut.pixels.count, room, &colors, &used) {
            let hasHole = cutOut.hasHoles || sparesHole && used < most
            return (GIFColorTable(colors: Array(colors.prefix(used)), hasHole: hasHole), true)
        }
        let hasHole = cutOut.hasHoles || sparesHole
        guard
            wi_gif_quantize(cutOut.pixels, cutOut.pixels.count, hasHole ? most - 1 : most, &colors, &used)
        else { throw Self.outOfMemory }
        return (GIFColorTable(colors: Array(colors.prefix(used)), hasHole: hasHole), false)
    }

    /// Whether `table` has all that the pixels need.
    func isExact(_ table: GIFColorTable, _ cutOut: GIFCutOut) -> Bool {
        guard table.hasHole || !cutOut.hasHoles else { return false }
        return wi_gif_is_in_palette(
            cutOut.pixels, cutOut.pixels.count, Self.filled(table.colors), table.colors.count)
    }

    /// As many as C takes.
    private static func filled(_ colors: [UInt32]) -> [UInt32] {
        colors + [UInt32](repeating: 0, count: max(0, 256 - colors.count))
    }

    /// The pixels by the indices of `table`, compressed.
    ///
    /// - Throws: `outOfMemory`.
    func frame(
        _ cutOut: GIFCutOut, _ table: GIFColorTable, isExact: Bool
    ) throws(ImageError) -> GIFIndexedFrame {
        let colors = Self.filled(table.colors)
        let dithers = !isExact && settings.dithering == .floydSteinberg
        var isMapped = false
        let indices = [UInt8](unsafeUninitializedCapacity: cutOut.pixels.count) { target, count in
            guard let base = target.baseAddress else { return }
            isMapped = wi_gif_map(
                cutOut.pixels, cutOut.area.width, cutOut.area.height, colors, table.colors.count, table.hole,
                dithers,
                base)
            count = isMapped ? cutOut.pixels.count : 0
        }
        guard isMapped else { throw Self.outOfMemory }
        return GIFIndexedFrame(
            area: cutOut.area, hasHoles: wi_gif_has_holes(cutOut.pixels, cutOut.pixels.count),
            hole: table.hole,
            pictureData: try Self.compressed(indices, max(2, table.bits)))
    }

    private static func compressed(_ indices: [UInt8], _ codeSize: Int) throws(ImageError) -> Data {
        var bytes: UnsafeMutablePointer<UInt8>?
        var size = 0
        guard wi_gif_compress(indices, indices.count, Int32(codeSize), &bytes, &size), let bytes else {
            throw outOfMemory
        }
        defer { free(bytes) }
        return Data(bytes: bytes, count: size)
    }

    private static var outOfMemory: ImageError {
        ImageError(
            .outOfMemory, stage: .encode, "There is no memory to encode the picture.", isRetryable: true)
    }
}
