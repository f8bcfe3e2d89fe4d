// SPDX-License-Identifier: MIT
internal import WICore

/// A JSON text to be (RFC 8259), whose fields keep the order in which they are written.
enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case integer(Int)
    /// With at most four decimals.
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([Field])

    struct Field: Hashable, Sendable {
        let name: String
        let value: JSONValue
        init(_ name: String, _ value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    /// The text, objects and arrays of objects indented by two spaces, arrays of plain values on one line.
    var text: String {
        var text = ""
        write(to: &text, indentation: 0)
        return text
    }

    private func write(to text: inout String, indentation: Int) {
        switch self {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .integer(let value): text += String(value)
        case .number(let value): text += Self.decimal(value)
        case .string(let value): Self.write(value, to: &text)
        case .array(let values): Self.write(values, to: &text, indentation)
        case .object(let fields):
            Self.writeBlock("{", "}", fields, to: &text, indentation) { field, text in
                Self.write(field.name, to: &text)
                text += ": "
                field.value.write(to: &text, indentation: indentation + 1)
            }
        }
    }

    private static func decimal(_ value: Double) -> String {
        guard value.isFinite else { return "null" }
        var text = fixedPoint(value, decimals: 4)
        while text.hasSuffix("0") { text.removeLast() }
        if text.hasSuffix(".") { text.removeLast() }
        return text
    }

    private var isPlain: Bool {
        switch self {
        case .array, .object: false
        default: true
        }
    }

    private static func write(_ values: [JSONValue], to text: inout String, _ indentation: Int) {
        guard values.allSatisfy(\.isPlain) else {
            return writeBlock("[", "]", values, to: &text, indentation) { value, text in
                value.write(to: &text, indentation: indentation + 1)
            }
        }
        text += "["
        for (index, value) in values.enumerated() {
            if index > 0 { text += ", " }
            value.write(to: &text, indentation: indentation)
        }
        text += "]"
    }

    private static func writeBlock<Element>(
        _ open: String, _ close: String, _ elements: [Element], to text: inout String, _ indentation: Int,
        _ body: (Element, inout String) -> Void
    ) {
        guard !elements.isEmpty else {
            text += open + close
            return
        }
        text += open
        for (index, element) in elements.enumerated() {
            text += index == 0 ? "\n" : ",\n"
            text += String(repeating: "  ", count: indentation + 1)
            body(element, &text)
        }
        text += "\n" + String(repeating: "  ", count: indentation) + close
    }

    private static func write(_ string: String, to text: inout String) {
        text += "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            default:
                // DEL and C1 are legal in JSON, but a terminal obeys them.
                if scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value) {
                    let digits = String(scalar.value, radix: 16)
                    text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                } else {
                    text.unicodeScalars.append(scalar)
                }
            }
        }
        text += "\""
    }
}
