// SPDX-License-Identifier: MIT

/// Host names of other scripts in the ASCII form that DNS knows: `münchen.example` is `xn--mnchen-3ya.example`.
///
/// Labels are lower-cased and written in Punycode (RFC 3492) with the prefix of RFC 5890.
package enum InternationalHost {
    /// The ASCII form of a host as a URL gives it, percent-encoded or not; nil when it cannot be one.
    package static func ascii(_ host: String) -> String? {
        let isPlain = host.utf8.allSatisfy {
            $0 < 0x80 && $0 != UInt8(ascii: "%") && !(0x41...0x5A).contains($0)
        }
        if isPlain { return host }
        // An IPv6 address with a zone (%25eth0) is no name.
        if host.utf8.contains(UInt8(ascii: ":")) { return host.lowercased() }
        guard let bytes = percentDecoded(host), let text = String(validating: bytes, as: UTF8.self) else {
            return nil
        }
        guard !text.isEmpty, !text.unicodeScalars.contains(where: isForbidden) else { return nil }
        // The ideographic and half-width full stops separate labels too (RFC 3490, section 3.1).
        let labels = text.lowercased().split(
            omittingEmptySubsequences: false, whereSeparator: { ".\u{3002}\u{FF0E}\u{FF61}".contains($0) })
        var result: [String] = []
        for label in labels {
            guard let encoded = asciiLabel(String(label)) else { return nil }
            result.append(encoded)
        }
        return result.joined(separator: ".")
    }

    private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value <= 0x20 || scalar.value == 0x7F || "/?#@\\%[]<>^|".unicodeScalars.contains(scalar)
    }

    private static func asciiLabel(_ label: String) -> String? {
        if label.utf8.allSatisfy({ $0 < 0x80 }) { return label }
        guard let encoded = punycode(label.unicodeScalars.map(\.value)) else { return nil }
        let result = "xn--" + encoded
        return result.utf8.count <= 63 ? result : nil
    }

    /// RFC 3492, section 6.3; nil where a number overflows.
    static func punycode(_ scalars: [UInt32]) -> String? {
        var output = scalars.filter { $0 < 0x80 }.map { UInt8($0) }
        let basicCount = output.count
        if basicCount > 0 { output.append(UInt8(ascii: "-")) }
        var next: UInt32 = 128
        var delta: UInt32 = 0
        var bias: UInt32 = 72
        var handled = basicCount
        guard scalars.count < 1000 else { return nil }
        while handled < scalars.count {
            guard let least = scalars.filter({ $0 >= next }).min() else { return nil }
            let (step, overflow) = (least - next).multipliedReportingOverflow(by: UInt32(handled + 1))
            let (sum, overflowsSum) = delta.addingReportingOverflow(step)
            guard !overflow, !overflowsSum, sum < .max / 2 else { return nil }
            delta = sum
            next = least
            for scalar in scalars {
                if scalar < next { delta += 1 }
                guard scalar == next else { continue }
                appendDigits(of: delta, bias: bias, to: &output)
                bias = adapted(delta, count: UInt32(handled + 1), isFirst: handled == basicCount)
                delta = 0
                handled += 1
            }
            delta += 1
            next += 1
        }
        return String(decoding: output, as: UTF8.self)
    }

    private static func appendDigits(of delta: UInt32, bias: UInt32, to output: inout [UInt8]) {
        var rest = delta
        var position: UInt32 = 36
        while true {
            let threshold = position <= bias ? 1 : min(position - bias, 26)
            guard rest >= threshold else { break }
            output.append(digit(threshold + (rest - threshold) % (36 - threshold)))
            rest = (rest - threshold) / (36 - threshold)
            position += 36
        }
        output.append(digit(rest))
    }

    private static func digit(_ value: UInt32) -> UInt8 {
        UInt8(value < 26 ? 97 + value : 22 + value)
    }

    private static func adapted(_ delta: UInt32, count: UInt32, isFirst: Bool) -> UInt32 {
        var delta = isFirst ? delta / 700 : delta / 2
        delta += delta / count
        var steps: UInt32 = 0
        while delta > 455 {
            delta /= 35
            steps += 36
        }
        return steps + 36 * delta / (delta + 38)
    }
}
