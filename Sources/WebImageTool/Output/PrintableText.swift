// SPDX-License-Identifier: MIT

/// The text on one line and without control characters: names and servers may hold anything, terminals obey it.
func printable(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
        switch scalar.value {
        case 0x0A, 0x0D, 0x09: result += " "
        case 0..<0x20, 0x7F..<0xA0, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: result += "\u{FFFD}"
        default: result.unicodeScalars.append(scalar)
        }
    }
    return result
}

/// The text between quotation marks, cut where it is very long.
func quoted(_ text: String) -> String {
    let clean = printable(text)
    return clean.count <= 200 ? "\"\(clean)\"" : "\"\(clean.prefix(200))…\""
}
