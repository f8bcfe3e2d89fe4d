// SPDX-License-Identifier: MIT
package import FoundationEssentials
package import WICore

/// A format of four letters, two sides and one colour: `TOY1`, width, height, red, green, blue, alpha, one byte each.
package final class ToyCoder: ImageCoder {
    package static let format = ImageFormat(name: "toy", mimeType: "image/x-toy", fileExtensions: ["toy"])
    private let decodes = Locked(0)
    /// Called at the start of every decode, on the thread that decodes.
    private let onDecode: @Sendable () throws -> Void

    package init(onDecode: @escaping @Sendable () throws -> Void = {}) { self.onDecode = onDecode }

    package var decodeCount: Int { decodes.withLock { $0 } }
    package var decodableFormats: Set<ImageFormat> { [Self.format] }
    package var encodableFormats: Set<ImageFormat> { [Self.format] }

    /// A whole toy file.
    package static func file(width: UInt8 = 4, height: UInt8 = 3, color: [UInt8] = [10, 20, 30, 255]) -> Data
    {
        Data("TOY1".utf8 + [width, height] + color)
    }

    package func format(of head: RawSpan) -> ImageFormat? {
        head.byteCount >= 4 && bytes(head, 4) == Array("TOY1".utf8) ? Self.format : nil
    }

    package func probe(_ bytes: RawSpan, isComplete: Bool) throws -> Probe {
        guard bytes.byteCount >= 10 else {
            if isComplete { throw ImageError(.truncatedData, stage: .decode, "The toy is cut.") }
            return .needs(10)
        }
        let head = self.bytes(bytes, 10)
        return .info(
            ImageInfo(
                format: Self.format, storedSize: PixelSize(width: Int(head[4]), height: Int(head[5])),
                hasAlpha: head[9] != 255))
    }

    package func estimate(_ info: ImageInfo, _ options: DecodeOptions) -> ByteCount {
        .saturating(info.storedSize.width, info.storedSize.height, 4)
    }

    package func decode(
        _ data: Data, _ options: DecodeOptions, _ work: borrowing WorkContext
    ) throws -> DecodedImage {
        decodes.withLock { $0 += 1 }
        try onDecode()
        guard case .info(let info) = try probe(data.bytes, isComplete: true) else {
            throw ImageError(.truncatedData, stage: .decode, "The toy is cut.")
        }
        try options.limits.check(info.storedSize, format: Self.format)
        let size = options.targetSize(for: info.displaySize)
        let color = bytes(data.bytes, 10).suffix(4)
        var pixels = try MutablePixels(
            width: size.width, height: size.height, alphaMode: info.hasAlpha ? .straight : .opaque)
        pixels.withUnsafeMutableBytes { target in
            for index in target.indices { target[index] = color[color.startIndex + index % 4] }
        }
        return DecodedImage(
            pixels: pixels.publish(), format: Self.format,
            metadata: ImageMetadata(storedSize: info.storedSize))
    }

    package func encode(
        _ image: DecodedImage, as format: ImageFormat, _ options: EncodeOptions, _ work: borrowing WorkContext
    ) throws -> Data {
        guard format == Self.format, image.size.width < 256, image.size.height < 256 else {
            throw ImageError(.encodeFailed, stage: .encode, "A toy has sides below 256.")
        }
        let color = image.pixels.withUnsafeBytes { Array($0.prefix(4)) }
        return Self.file(width: UInt8(image.size.width), height: UInt8(image.size.height), color: color)
    }

    private func bytes(_ span: RawSpan, _ count: Int) -> [UInt8] {
        (0..<min(count, span.byteCount)).map { span.unsafeLoadUnaligned(fromByteOffset: $0, as: UInt8.self) }
    }
}
