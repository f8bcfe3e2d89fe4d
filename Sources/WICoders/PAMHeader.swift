// SPDX-License-Identifier: MIT
internal import WICore

/// The header of a P7 file: lines of a word and a value, up to ENDHDR.
struct PAMHeader {
    /// Comments included; what is longer is no header.
    static let longest = 64 << 10

    let size: PixelSize
    /// Samples of a pixel: grey, grey and alpha, RGB, RGB and alpha.
    let depth: Int
    /// The largest sample.
    let maximum: Int
    /// Where the first row begins.
    let start: Int

    var hasAlpha: Bool { depth == 2 || depth == 4 }
    var bytesPerSample: Int { maximum > 255 ? 2 : 1 }
    /// Sides are at most 2^31 - 1, so this fits.
    var bytesPerRow: Int { size.width * depth * bytesPerSample }

    static var cut: ImageError {
        ImageError(.truncatedData, stage: .decode, "The PAM file ends before its ENDHDR line.")
    }

    /// Nil when the bytes end within the header.
    ///
    /// - Throws: `notAnImage` where they do not begin as one, `corruptData`.
    init?(_ bytes: RawSpan) throws(ImageError) {
        guard bytes.byteCount < 3 || bytes.has("P7\n", at: 0) else {
            throw .notAnImage(bytes, expected: .pam)
        }
        var values: [String: Int] = [:]
        var offset = 3
        while let line = Self.line(bytes, at: offset) {
            offset += line.utf8.count + 1
            guard offset <= Self.longest else {
                throw Self.corrupt("has a header of more than \(Self.longest) bytes")
            }
            let words = line.split(whereSeparator: \.isWhitespace)
            guard let word = words.first, !word.hasPrefix("#") else { continue }
            if word == "ENDHDR" {
                try self.init(values, start: offset)
                return
            }
            if words.count == 2, let value = Int(words[1]) { values[String(word)] = value }
        }
        guard bytes.byteCount <= Self.longest else { throw Self.corrupt("has no ENDHDR line") }
        return nil
    }

    private init(_ values: [String: Int], start: Int) throws(ImageError) {
        guard let width = values["WIDTH"], let height = values["HEIGHT"], let depth = values["DEPTH"],
            let maximum = values["MAXVAL"], 1...4 ~= depth, 1...65_535 ~= maximum,
            1...Int(Int32.max) ~= width, 1...Int(Int32.max) ~= height
        else { throw Self.corrupt("needs WIDTH, HEIGHT, a DEPTH of 1 to 4 and a MAXVAL of 1 to 65535") }
        size = PixelSize(width: width, height: height)
        self.depth = depth
        self.maximum = maximum
        self.start = start
    }

    /// The bytes up to the next line feed, one character each; nil when there is none within the longest header.
    private static func line(_ bytes: RawSpan, at offset: Int) -> String? {
        var line = ""
        for index in offset..<max(offset, min(bytes.byteCount, longest + 1)) {
            guard let byte = bytes.byte(index), byte != UInt8(ascii: "\n") else { return line }
            // What is beyond ASCII stands in comments alone; it must not change the count.
            line.unicodeScalars.append(Unicode.Scalar(byte < 128 ? byte : UInt8(ascii: "?")))
        }
        return nil
    }

    private static func corrupt(_ what: String) -> ImageError {
        ImageError(.corruptData, stage: .decode, "The PAM file \(what).")
    }
}
