// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import WebImage

/// What the tool says about an entry of the cache.
struct CachedPicture {
    private let entry: DiskEntry

    init(_ entry: DiskEntry) { self.entry = entry }

    /// Bytes, last use, content type and key, in columns.
    var line: String {
        let size = String(entry.byteCount.bytes)
        let padding = String(repeating: " ", count: max(0, 10 - size.count))
        let type = entry.metadata.contentType ?? "-"
        return
            "\(padding)\(size)  \(Self.time(entry.usedAt))  \(printable(type))  \(printable(entry.key.description))"
    }

    /// What its bytes are, which are read for that; nil where they are no picture that is known.
    func info(_ coder: any ImageCoder) -> ImageInfo? {
        guard let file = try? InputFile.contents(of: RawText(entry.path)),
            case .info(let info)? = try? coder.probe(
                file.prefix(entry.byteCount.bytes).bytes, isComplete: true)
        else { return nil }
        return info
    }

    /// All that is known, a line each.
    func lines(_ info: ImageInfo?) -> [String] {
        let metadata = entry.metadata
        var rows = [("key", entry.key.description), ("file", entry.path)]
        rows.append(("size", "\(entry.byteCount) (\(entry.fileSize) with what belongs to it)"))
        if let info {
            rows.append(
                ("picture", "\(info.format.name) \(info.displaySize.width)x\(info.displaySize.height)"))
        }
        rows.append(("type", metadata.contentType ?? "-"))
        rows.append(("source", metadata.sourceURL ?? "-"))
        rows.append(("stored", Self.time(metadata.storedAt)))
        rows.append(("used", Self.time(entry.usedAt)))
        if let expiry = metadata.expiresAt { rows.append(("fresh until", Self.time(expiry))) }
        if let tag = metadata.validators.entityTag { rows.append(("entity tag", tag)) }
        if let date = metadata.validators.lastModified { rows.append(("last modified", date)) }
        rows += metadata.responseHeaders.fields.map { ("header", "\($0.name): \($0.value)") }
        if let extended = metadata.extendedData { rows.append(("extended data", "\(extended.count) bytes")) }
        return rows.map { label, value in
            label + ":" + String(repeating: " ", count: 15 - label.count) + printable(value)
        }
    }

    var json: JSONValue { json(nil) }

    /// All that is known, for programs.
    func json(_ info: ImageInfo?) -> JSONValue {
        let metadata = entry.metadata
        var fields: [JSONValue.Field] = [
            .init("key", .string(entry.key.description)), .init("url", .string(entry.key.base)),
            .init(
                "parts",
                .object(entry.key.parts.map { .init($0.name, .string($0.value)) })),
            .init("file", .string(entry.path)), .init("bytes", .integer(entry.byteCount.bytes)),
            .init("fileBytes", .integer(entry.fileSize.bytes)),
            .init("contentType", Self.string(metadata.contentType)),
            .init("sourceURL", Self.string(metadata.sourceURL)),
            .init("storedAt", .string(Self.time(metadata.storedAt))),
            .init("usedAt", .string(Self.time(entry.usedAt))),
            .init("freshUntil", Self.string(metadata.expiresAt.map(Self.time))),
            .init("entityTag", Self.string(metadata.validators.entityTag)),
            .init("lastModified", Self.string(metadata.validators.lastModified)),
        ]
        if let info {
            fields += [
                .init("format", .string(info.format.name)), .init("width", .integer(info.displaySize.width)),
                .init("height", .integer(info.displaySize.height)),
            ]
        }
        return .object(fields)
    }

    private static func string(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }

    /// In UTC by ISO 8601; what no calendar should show is shown as the number.
    private static func time(_ seconds: Double) -> String {
        guard abs(seconds) < 1e11 else { return "\(seconds)" }
        return Date(timeIntervalSince1970: seconds).formatted(.iso8601)
    }
}
