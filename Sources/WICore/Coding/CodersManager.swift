// SPDX-License-Identifier: MIT
public import FoundationEssentials

/// The ordered registry of coders, and itself a coder: the last registered one is asked first.
///
/// Which coders are asked depends on the first bytes alone. If the first that claims a file cannot decode it, the next
/// one that claims it is asked; the first error is the one reported. Safe from any thread.
public final class CodersManager: ImageCoder {
    private struct Registry: Sendable {
        var entries: [(number: Int, coder: any ImageCoder)] = []
        var registered = 0

        mutating func add(_ coder: any ImageCoder) {
            entries.append((registered, coder))
            registered += 1
        }
    }

    private let registry: Locked<Registry>

    /// A registry of these coders, in the order of their registration.
    public init(_ coders: [any ImageCoder] = []) {
        var registry = Registry()
        for coder in coders { registry.add(coder) }
        self.registry = Locked(registry)
    }

    /// The coders in the order of their registration.
    public var coders: [any ImageCoder] { registry.withLock { $0.entries.map(\.coder) } }

    /// Adds a coder, to be asked before all others.
    public func register(_ coder: any ImageCoder) { registry.withLock { $0.add(coder) } }

    /// Removes the coders for which `matches` is true.
    public func unregister(where matches: (any ImageCoder) -> Bool) {
        // The program's closure runs outside the lock; a coder registered meanwhile is not touched.
        let removed = Set(registry.withLock { $0.entries }.filter { matches($0.coder) }.map(\.number))
        registry.withLock { registry in registry.entries.removeAll { removed.contains($0.number) } }
    }

    private var inOrder: [any ImageCoder] { coders.reversed() }

    /// The formats that some coder decodes.
    public var decodableFormats: Set<ImageFormat> {
        coders.reduce(into: []) { $0.formUnion($1.decodableFormats) }
    }

    /// The formats that some coder encodes.
    public var encodableFormats: Set<ImageFormat> {
        coders.reduce(into: []) { $0.formUnion($1.encodableFormats) }
    }

    /// The format that the first claiming coder sees.
    public func format(of head: RawSpan) -> ImageFormat? {
        for coder in inOrder {
            if let format = coder.format(of: head) { return format }
        }
        return nil
    }

    /// The first claiming coder that can show a picture while it arrives.
    func progressiveCoder(claiming head: RawSpan) -> (any ProgressiveImageCoder)? {
        for coder in inOrder {
            if let found = coder.progressiveCoder(for: head) { return found }
        }
        return nil
    }

    /// The coder that is asked first to decode a file that begins with `head`; nil when none claims it.
    public func coder(for head: RawSpan) -> (any ImageCoder)? {
        inOrder.first { $0.format(of: head) != nil }
    }

    private func claiming(_ head: RawSpan) throws(ImageError) -> [any ImageCoder] {
        let claiming = inOrder.filter { $0.format(of: head) != nil }
        guard claiming.isEmpty else { return claiming }
        throw unrecognized(head)
    }

    /// Bytes that tell any format.
    private static let signatureLength = 64

    /// Asks the first claiming coder, and the next where it fails; with too few bytes to tell the format, more are needed.
    public func probe(_ bytes: RawSpan, isComplete: Bool) throws -> Probe {
        if !isComplete, bytes.byteCount < Self.signatureLength, format(of: bytes) == nil {
            return .needs(ByteCount(Self.signatureLength))
        }
        var first: (any Error)?
        for coder in try claiming(bytes) {
            do {
                return try coder.probe(bytes, isComplete: isComplete)
            } catch {
                first = first ?? error
            }
        }
        throw first ?? unrecognized(bytes)
    }

    /// The largest estimate of the coders that decode the format.
    public func estimate(_ info: ImageInfo, _ options: DecodeOptions) -> ByteCount {
        let able = coders.filter { $0.decodableFormats.contains(info.format) }
        return able.map { $0.estimate(info, options) }.max() ?? .zero
    }

    /// Asks the first claiming coder, and the next where it fails for another reason than a limit or cancellation.
    public func decode(
        _ data: Data, _ options: DecodeOptions, _ work: borrowing WorkContext
    ) throws -> DecodedImage {
        var first: (any Error)?
        for coder in try claiming(data.bytes) {
            do {
                return try coder.decode(data, options, work)
            } catch {
                if Self.isFinal(error) { throw error }
                first = first ?? error
            }
        }
        throw first ?? unrecognized(data.bytes)
    }

    /// A limit that one coder found exceeded is not to be got around by another.
    private static func isFinal(_ error: any Error) -> Bool {
        guard let code = (error as? ImageError)?.code else { return error is CancellationError }
        return [.cancelled, .dimensionLimit, .frameLimit, .scanLimit, .metadataLimit, .memoryLimit].contains(
            code)
    }

    /// Encodes with the first coder that knows the format.
    public func encode(
        _ image: DecodedImage, as format: ImageFormat, _ options: EncodeOptions, _ work: borrowing WorkContext
    ) throws -> Data {
        guard let coder = inOrder.first(where: { $0.canEncode(format) }) else {
            throw ImageError(
                .unsupportedFormat, stage: .encode,
                "No registered coder encodes \(format); register one, or choose another format.")
        }
        return try coder.encode(image, as: format, options, work)
    }
}

/// Why no coder claims these first bytes.
func unrecognized(_ head: RawSpan) -> ImageError {
    if head.byteCount == 0 {
        return ImageError(.emptyData, stage: .decode, "There are no bytes to decode: the picture is empty.")
    }
    if let format = ImageFormat.detect(head) {
        return ImageError(
            .unsupportedFormat, stage: .decode, "The bytes are \(format), which no registered coder decodes.")
    }
    return ImageError(
        .notAnImage, stage: .decode,
        "The bytes are no picture of a known format; they begin with \(preview(head)).")
}

extension ImageError {
    /// Why a coder that was asked directly does not take bytes that do not begin as its format does.
    package static func notAnImage(_ head: RawSpan, expected format: ImageFormat) -> ImageError {
        if head.byteCount == 0 { return unrecognized(head) }
        return ImageError(
            .notAnImage, stage: .decode,
            "The bytes are no \(format) file; they begin with \(preview(head)).")
    }
}

/// The first bytes for people: text where it is printable, else hexadecimal.
private func preview(_ head: RawSpan) -> String {
    let bytes = (0..<min(16, head.byteCount)).map {
        head.unsafeLoadUnaligned(fromByteOffset: $0, as: UInt8.self)
    }
    if bytes.allSatisfy({ (0x20..<0x7F).contains($0) || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }) {
        let text = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        return "“\(text.joined(separator: " "))”"
    }
    return bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
}
