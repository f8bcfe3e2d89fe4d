// SPDX-License-Identifier: MIT
internal import InflateShim

/// How a body is coded for its way (RFC 9110, section 8.4).
enum ContentCoding: Hashable, Sendable {
    case identity
    case gzip
    case deflate
    /// One that is not undone here, or several at once.
    case unknown(String)

    /// What is asked for: `deflate` is not, since servers disagree about what it means.
    static let accepted = "gzip"

    /// The first coding in an `Accept-Encoding` field that is not undone here; nil where all are.
    static func foreign(in field: String) -> String? {
        for entry in field.split(separator: ",") {
            let parts = entry.split(separator: ";").map { $0.filter { !$0.isWhitespace }.lowercased() }
            guard let name = parts.first, !name.isEmpty else { continue }
            let isRefused = parts.dropFirst().contains { part in
                part.hasPrefix("q=") && Double(part.dropFirst(2)) == 0
            }
            guard isRefused || ["gzip", "x-gzip", "deflate", "identity"].contains(name) else { return name }
        }
        return nil
    }

    /// The coding that a `Content-Encoding` field names; none is `identity`.
    init(field: String?) {
        let names = (field ?? "").split(separator: ",").map { name in
            String(name.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }).lowercased()
        }.filter { !$0.isEmpty && $0 != "identity" }
        switch names {
        case []: self = .identity
        case ["gzip"], ["x-gzip"]: self = .gzip
        case ["deflate"]: self = .deflate
        default: self = .unknown(names.joined(separator: ", "))
        }
    }
}

/// Undoes the coding of a body as it comes.
///
/// libcurl could do it, but takes a gzip body that ends early for a whole one (7.88): whoever decodes must know the end.
final class ContentDecoder {
    enum Failure: Error {
        case damaged, outOfMemory
    }

    private let inflater: OpaquePointer

    /// Nil when there is no memory, or nothing to undo.
    init?(_ coding: ContentCoding) {
        guard coding == .gzip || coding == .deflate, let inflater = wi_inflater_new(coding == .gzip) else {
            return nil
        }
        self.inflater = inflater
    }

    deinit { wi_inflater_free(inflater) }

    /// Whether the bytes so far are a whole body.
    var isComplete: Bool { wi_inflater_is_complete(inflater) }

    /// Takes coded bytes and writes plain ones; to be called again while it fills the room.
    func decode(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(Failure) -> (taken: Int, written: Int) {
        var (taken, written) = (input.count, output.count)
        switch wi_inflater_step(inflater, input.baseAddress, &taken, output.baseAddress, &written) {
        case WI_INFLATE_GOES_ON: return (taken, written)
        case WI_INFLATE_NO_MEMORY: throw .outOfMemory
        default: throw .damaged
        }
    }
}
