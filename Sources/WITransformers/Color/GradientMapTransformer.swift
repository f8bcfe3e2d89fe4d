// SPDX-License-Identifier: MIT
public import WICore
internal import WIPixels

/// Replaces every colour by that of a run of colours, by its brightness (BT.709): two stops make a duotone.
public struct GradientMapTransformer: Transformer, Hashable {
    /// The colours from dark to bright. Between two stops colours are mixed evenly, around all of them they go on.
    public let stops: [ColorStop]

    /// A transformer. Without stops, or with stops whose numbers do not lie between 0 and 1 or that are not in the order
    /// of their places, the transform ends with an error `invalidArgument`.
    public init(_ stops: [ColorStop]) { self.stops = stops }

    /// For example `gradientMap(v1,0/0/0/1@0,1/1/1/1@1)`.
    public var keyPart: KeyPart {
        let parts = stops.map { "\($0.color.key)@\(KeyPart.number($0.location))" }
        return KeyPart("gradientMap", (["v1"] + parts).joined(separator: ","))
    }

    /// The picture in its new colours; a stop's alpha thins the picture's own.
    ///
    /// - Throws: ``ImageError`` with code `invalidArgument`, `outOfMemory` or `cancelled`.
    public func transform(_ pixels: PixelBuffer, _ work: borrowing WorkContext) throws -> PixelBuffer {
        try check()
        let table = (0...4095).map { color(at: Double($0) / 4095) }
        let isOpaque = stops.allSatisfy { $0.color.alpha == 1 }
        let mode = pixels.alphaMode == .opaque && !isOpaque ? AlphaMode.straight : pixels.alphaMode
        return try pixels.mapped(as: .straight, to: mode, work) { row, _ in
            for x in row.indices {
                let luma = min(max((row[x] * Luma.weights).sum(), 0), 1)
                var color = table[Int(luma * 4095 + 0.5)]
                color.w *= row[x].w
                row[x] = color
            }
        }
    }

    private func check() throws(ImageError) {
        for stop in stops {
            try stop.color.check("a colour stop")
            try Parameter.check(stop.location, 0...1, "The place of a colour stop")
        }
        guard !stops.isEmpty, stops.map(\.location) == stops.map(\.location).sorted() else {
            throw ImageError(
                .invalidArgument, stage: .transform,
                "A gradient map needs at least one colour stop, and its stops in the order of their places.")
        }
    }

    private func color(at place: Double) -> PixelColor {
        guard let next = stops.firstIndex(where: { $0.location >= place }) else {
            return stops.last?.color.straight ?? .zero
        }
        guard next > 0 else { return stops[0].color.straight }
        let (before, after) = (stops[next - 1], stops[next])
        let share = Float((place - before.location) / (after.location - before.location))
        return before.color.straight * (1 - share) + after.color.straight * share
    }
}
