// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import WebImage

/// Names for files of pictures that come from URLs: no two alike, none that a server could use to leave the folder.
enum OutputNames {
    /// Names without extension, in the order of the URLs.
    static func stems(for urls: [String]) -> [String] {
        var taken: Set<String> = []
        return urls.map { url in
            let stem = stem(of: url)
            var name = stem
            var number = 2
            // Without regard to case, for file systems that have none.
            while !taken.insert(name.lowercased()).inserted {
                name = "\(stem)-\(number)"
                number += 1
            }
            return name
        }
    }

    /// The last component of the URL's path, decoded, cleaned, and without the extension of a picture format.
    private static func stem(of url: String) -> String {
        guard let url = URL(string: url), url.scheme?.lowercased() != "data" else { return "image" }
        let last = url.path(percentEncoded: true).split(separator: "/").last.map(String.init) ?? ""
        var name = String(decoding: percentDecoded(Array(last.utf8)), as: UTF8.self)
        if let dot = name.lastIndex(of: "."),
            ImageFormat.named(byExtension: String(name[name.index(after: dot)...])) != nil
        {
            name = String(name[..<dot])
        }
        name = printable(name.replacing("/", with: "_").replacing("\\", with: "_"))
        while name.utf8.count > 200 { name.removeLast() }
        while name.hasPrefix(".") { name.removeFirst() }
        return name.isEmpty ? "image" : name
    }

    private static func percentDecoded(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var rest = bytes[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2,
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                result.append(value)
                rest = rest.dropFirst(2)
            } else {
                result.append(byte)
            }
        }
        return result
    }
}
