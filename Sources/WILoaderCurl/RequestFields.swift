// SPDX-License-Identifier: MIT
internal import WICore

/// The header fields of a request as lines.
enum RequestFields {
    /// What is asked for where the request does not say.
    static let accept = "image/*,*/*;q=0.8"

    /// The request's fields, its validators as conditions, and `Accept`.
    ///
    /// - Throws: ``ImageError`` with code `invalidArgument` when a name or value could smuggle another field.
    static func lines(for request: LoadRequest) throws(ImageError) -> [String] {
        var lines: [String] = []
        var accepts = false
        for field in request.headers.fields {
            guard isToken(field.name) else {
                throw invalid(
                    "\"\(field.name)\" is no name of a header field (RFC 9110, section 5.6.2).", request)
            }
            guard isOneLine(field.value) else {
                throw invalid(
                    "The value of the header field \(field.name) has a line break or another control character; "
                        + "remove it (a token read from a file may end with one).", request)
            }
            accepts = accepts || field.name.lowercased() == "accept"
            lines.append(line(field.name, field.value))
        }
        if !accepts { lines.append(line("Accept", accept)) }
        // Validators are a server's words: what cannot be sent back is left out.
        if let tag = request.validators.entityTag, isOneLine(tag) { lines.append(line("If-None-Match", tag)) }
        if let date = request.validators.lastModified, isOneLine(date) {
            lines.append(line("If-Modified-Since", date))
        }
        return lines
    }

    /// libcurl takes `Name:` as "send no such field"; an empty value is written `Name;`.
    private static func line(_ name: String, _ value: String) -> String {
        value.utf8.allSatisfy { $0 == 0x20 || $0 == 0x09 } ? "\(name);" : "\(name): \(value)"
    }

    private static func isToken(_ name: String) -> Bool {
        !name.isEmpty
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    return true
                default: return "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }

    private static func isOneLine(_ value: String) -> Bool {
        value.utf8.allSatisfy { ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }
    }

    private static func invalid(_ message: String, _ request: LoadRequest) -> ImageError {
        ImageError(.invalidArgument, stage: .load, message, url: request.url)
    }
}
