// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import WICore

/// The beginning of a body whose rest can be asked for (RFC 9110, section 14).
struct PartialBody: Hashable, Sendable {
    /// The strong validator of the body that it is the beginning of.
    let tag: String
    /// Bytes of the whole body.
    let total: Int
    /// Bytes that are there.
    let count: Int

    init(tag: String, total: Int, count: Int) {
        self.tag = tag
        self.total = total
        self.count = count
    }

    /// What an answer's head and the bytes so far make; nil where the rest cannot be asked for: the server gave no strong
    /// validator or no length, takes no ranges, or the body is coded.
    init?(_ head: ResponseHead, count: Int) {
        guard head.status == 200, let total = head.expectedLength, count > 0, count < total,
            let tag = Self.strongTag(head), head.headers["Accept-Ranges"]?.lowercased() != "none",
            ContentCoding(field: head.headers["Content-Encoding"]) == .identity
        else { return nil }
        self.init(tag: tag, total: total, count: count)
    }

    /// The fields that ask for the rest, and for all of another body.
    var lines: [String] { ["Range: bytes=\(count)-", "If-Range: \(tag)", "Accept-Encoding: identity"] }

    /// The head of the whole body, where an answer is the rest of this one; nil where it is something else.
    func wholeHead(_ head: ResponseHead) -> ResponseHead? {
        guard head.status == 206, Self.strongTag(head) == tag,
            ContentCoding(field: head.headers["Content-Encoding"]) == .identity,
            Self.range(head.headers["Content-Range"]) == [count, total - 1, total]
        else { return nil }
        var whole = head
        whole.status = 200
        whole.headers["Content-Range"] = nil
        whole.headers["Content-Length"] = "\(total)"
        whole.expectedLength = total
        return whole
    }

    private static func strongTag(_ head: ResponseHead) -> String? {
        guard let tag = head.headers["ETag"], tag.hasPrefix("\""), tag.hasSuffix("\""), tag.utf8.count > 2,
            RequestFields.isOneLine(tag)
        else { return nil }
        return tag
    }

    /// The numbers of `bytes 5-9/10`.
    private static func range(_ field: String?) -> [Int]? {
        guard let field, field.lowercased().hasPrefix("bytes ") else { return nil }
        let numbers = field.dropFirst(6).split(
            omittingEmptySubsequences: false, whereSeparator: { $0 == "-" || $0 == "/" })
        let values = numbers.compactMap { Int($0.filter { $0 != " " }) }
        return values.count == numbers.count && values.count == 3 ? values : nil
    }
}

/// A beginning that was kept, with its bytes.
struct KeptPartial: Sendable {
    let body: PartialBody
    let data: Data
}
