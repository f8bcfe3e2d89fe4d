// SPDX-License-Identifier: MIT

/// A file name with a place for a number, as `printf` writes it: `out-%03d.png`.
struct NumberedName: Sendable {
    private let before: [UInt8]
    private let after: [UInt8]
    /// Digits at least, filled up with zeros, or with spaces where the pattern does not begin with 0.
    private let width: Int
    private let filling: UInt8

    /// A name of a pattern with one `%d`, `%3d` or `%03d`; `%%` is a percent sign.
    ///
    /// - Throws: ``UsageError`` for patterns without a place for the number, or with several.
    init(_ pattern: RawText) throws(UsageError) {
        var texts: [[UInt8]] = [[]]
        var digits: [UInt8] = []
        var rest = pattern.bytes[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                texts[texts.count - 1].append(byte)
                continue
            }
            let number = Array(rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
            rest = rest.dropFirst(number.count)
            let kind = rest.popFirst()
            if kind == UInt8(ascii: "%"), number.isEmpty {
                texts[texts.count - 1].append(byte)
                continue
            }
            guard kind == UInt8(ascii: "d"), number.count <= 2 else {
                throw UsageError("\(quoted(pattern.text)) has a % that is neither %d, %03d nor %%.")
            }
            digits = number
            texts.append([])
        }
        guard texts.count == 2 else {
            throw UsageError("\(quoted(pattern.text)) needs one place for the frame's number, such as %03d.")
        }
        (before, after) = (texts[0], texts[1])
        width = Int(String(decoding: digits, as: UTF8.self)) ?? 0
        filling = digits.first == UInt8(ascii: "0") ? UInt8(ascii: "0") : UInt8(ascii: " ")
    }

    /// The name with `number` in its place.
    func callAsFunction(_ number: Int) -> RawText {
        let digits = Array(String(number).utf8)
        let padding = [UInt8](repeating: filling, count: max(0, width - digits.count))
        return RawText(before + padding + digits + after)
    }
}
