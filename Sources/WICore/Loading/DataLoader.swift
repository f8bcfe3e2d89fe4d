// SPDX-License-Identifier: MIT
internal import FoundationEssentials

/// Loads `data:` URLs (RFC 2397): the picture stands in the URL itself, so there is nothing to reach.
public struct DataLoader: ImageLoading {
    /// The loader.
    public init() {}

    /// Whether the scheme is `data`.
    public func canLoad(_ request: LoadRequest) -> Bool { request.url.scheme?.lowercased() == "data" }

    /// Gives the decoded payload.
    ///
    /// - Throws: ``ImageError`` with code `invalidURL` when the URL breaks RFC 2397's form.
    public func load(_ request: LoadRequest, into body: BodySink) async throws -> LoadResult {
        let text = request.url.absoluteString
        guard let comma = text.firstIndex(of: ","), let colon = text.firstIndex(of: ":"), colon < comma else {
            throw malformed("has no comma before its data", request.url)
        }
        let type = text[text.index(after: colon)..<comma]
        let payload = text[text.index(after: comma)...]
        guard let plain = percentDecoded(payload) else {
            throw malformed("has a % that two hexadecimal digits do not follow", request.url)
        }
        let isBase64 = type.lowercased().hasSuffix(";base64")
        guard isBase64 else { return .data(Data(plain), head(type, request.url)) }
        // Both alphabets are met in practice, and so is missing padding.
        var digits = plain.filter { $0 > 0x20 && $0 != UInt8(ascii: "=") }
        for index in digits.indices {
            if digits[index] == UInt8(ascii: "-") { digits[index] = UInt8(ascii: "+") }
            if digits[index] == UInt8(ascii: "_") { digits[index] = UInt8(ascii: "/") }
        }
        while digits.count % 4 != 0 { digits.append(UInt8(ascii: "=")) }
        guard let data = Data(base64Encoded: Data(digits)) else {
            throw malformed("holds characters that are no base64", request.url)
        }
        return .data(data, head(type, request.url))
    }

    private func head(_ type: Substring, _ url: URL) -> ResponseHead {
        let mime = type.split(separator: ";").first.map(String.init) ?? "text/plain"
        return ResponseHead(headers: ["Content-Type": mime], url: nil)
    }

    private func malformed(_ what: String, _ url: URL) -> ImageError {
        ImageError(.invalidURL, stage: .load, "The data URL \(what) (RFC 2397).", url: url)
    }
}

/// The bytes that percent-encoded text stands for; nil where a `%` is not followed by two hexadecimal digits.
package func percentDecoded(_ text: some StringProtocol) -> [UInt8]? {
    var result: [UInt8] = []
    var bytes = text.utf8.makeIterator()
    while let byte = bytes.next() {
        guard byte == UInt8(ascii: "%") else {
            result.append(byte)
            continue
        }
        guard let high = bytes.next().flatMap(hexadecimalValue),
            let low = bytes.next().flatMap(hexadecimalValue)
        else { return nil }
        result.append(high << 4 | low)
    }
    return result
}

private func hexadecimalValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
}
