// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import WebImage

/// What `info` says of one input.
struct ImageReport: Sendable {
    let path: String
    /// What the first bytes announce, whether or not there is a coder for it.
    let format: ImageFormat?
    let result: Result<ImageInfo, ImageError>

    /// The report on bytes.
    init(path: String, data: Data, coder: any ImageCoder) {
        self.path = path
        do throws(ImageError) {
            let info = try Self.probe(data, coder)
            format = info.format
            result = .success(info)
        } catch {
            format = ImageFormat.detect(data.bytes)
            result = .failure(error)
        }
    }

    /// The report on an input whose head is known.
    init(path: String, info: ImageInfo) {
        self.path = path
        format = info.format
        result = .success(info)
    }

    /// The report on an input whose bytes cannot be had.
    init(path: String, failure: ImageError) {
        self.path = path
        format = nil
        result = .failure(failure)
    }

    private static func probe(_ data: Data, _ coder: any ImageCoder) throws(ImageError) -> ImageInfo {
        do {
            if case .info(let info) = try coder.probe(data.bytes, isComplete: true) { return info }
        } catch {
            throw .wrapping(error, as: .corruptData, stage: .decode)
        }
        throw ImageError(.truncatedData, stage: .decode, "The file ends before its header does.")
    }

    /// One object of `info --json`.
    var json: JSONValue {
        switch result {
        case .success(let info): .object([.init("path", .string(path))] + Self.fields(info))
        case .failure(let error):
            .object(
                [.init("path", .string(path))]
                    + (format.map { [.init("format", .string($0.name))] } ?? [])
                    + [.init("error", error.json)])
        }
    }

    private static func fields(_ info: ImageInfo) -> [JSONValue.Field] {
        [
            .init("format", .string(info.format.name)),
            .init("width", .integer(info.storedSize.width)),
            .init("height", .integer(info.storedSize.height)),
            .init("displayWidth", .integer(info.displaySize.width)),
            .init("displayHeight", .integer(info.displaySize.height)),
            .init("orientation", .integer(info.orientation.rawValue)),
            .init("frameCount", .integer(info.frameCount)),
            .init("loopCount", .integer(info.loopCount)),
            .init("frameDurationsMs", .array(info.frameDurationsMilliseconds.map { .number($0) })),
            .init("hasAlpha", .bool(info.hasAlpha)),
            .init("hasICC", .bool(info.hasICCProfile)),
        ] + (note(info).map { [.init("note", .string($0))] } ?? [])
    }

    /// One line for people; nil where there is nothing but an error.
    var line: String? {
        guard case .success(let info) = result else { return nil }
        var parts = ["\(info.format) \(info.storedSize)"]
        if info.displaySize != info.storedSize { parts[0] += ", shown as \(info.displaySize)" }
        if info.orientation != .up { parts.append("orientation \(info.orientation.rawValue)") }
        if info.frameCount > 1 { parts.append(Self.animation(info)) }
        parts.append("\(info.bitsPerSample) bits")
        if info.isMultiPass { parts.append(info.format == .jpeg ? "progressive" : "interlaced") }
        if info.hasAlpha { parts.append("alpha") }
        if info.hasICCProfile { parts.append("ICC profile") }
        if let note = Self.note(info) { parts.append(note) }
        return "\(printable(path)): \(parts.joined(separator: ", "))"
    }

    /// What a decoder will not take unless told to, although the head is good.
    private static func note(_ info: ImageInfo) -> String? {
        let limits = DecodeLimits(), size = info.storedSize
        if max(size.width, size.height) > limits.side {
            return "over the default limit of \(limits.side) pixels for a side"
        }
        if size.pixelCount ?? .max > limits.pixels {
            return "over the default limit of \(limits.pixels) pixels"
        }
        if info.frameCount > limits.frames { return "over the default limit of \(limits.frames) frames" }
        return nil
    }

    private static func animation(_ info: ImageInfo) -> String {
        let total = info.frameDurationsMilliseconds.reduce(0, +)
        let loops =
            info.loopCount == 0 ? "for ever" : info.loopCount == 1 ? "once" : "\(info.loopCount) times"
        return "\(info.frameCount) frames in \(fixedPoint(total / 1000, decimals: 2)) s, \(loops)"
    }
}

extension ImageError {
    /// Code and sentence, as they stand in every JSON answer.
    var json: JSONValue {
        .object([.init("code", .string(code.rawValue)), .init("message", .string(description))])
    }
}
