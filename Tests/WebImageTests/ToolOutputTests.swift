// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing

@testable import WebImageTool

@Suite struct ToolJSONTests {
    @Test func fieldsKeepTheirOrderAndPlainArraysTheirLine() {
        let value = JSONValue.array([
            .object([.init("b", .integer(-3)), .init("a", .array([.integer(1), .integer(2)]))]), .object([]),
        ])
        #expect(
            value.text == """
                [
                  {
                    "b": -3,
                    "a": [1, 2]
                  },
                  {}
                ]
                """)
        #expect(JSONValue.array([]).text == "[]")
    }

    @Test func stringsSurviveAStrictReader() throws {
        let text = "q\" b\\ /\n\r\t\u{0}\u{1F}\u{7F}\u{9B} ü 🙂 \u{2028}"
        let data = Data(JSONValue.array([.string(text), .bool(true), .null]).text.utf8)
        struct Read: Decodable {
            let text: String
            let isNull: Bool
            init(from decoder: any Decoder) throws {
                var container = try decoder.unkeyedContainer()
                text = try container.decode(String.self)
                _ = try container.decode(Bool.self)
                isNull = try container.decodeNil()
            }
        }
        let read = try JSONDecoder().decode(Read.self, from: data)
        #expect(read.text == text)
        #expect(read.isNull)
        #expect(!data.contains(0x7F), "a terminal would obey it")
    }
}

@Suite struct ToolTextTests {
    @Test func controlCharactersNeverReachTheTerminal() {
        #expect(printable("a\u{1B}[31mb\nc\u{9B}d\u{202E}") == "a\u{FFFD}[31mb c\u{FFFD}d\u{FFFD}")
    }

    @Test func theProgressLineFitsTheTerminal() {
        let line = ProgressLine.line([1, 0.5], [1024, 512], 1, columns: 60)
        #expect(line.hasSuffix("] 75 %  1/2  1.5 KiB"))
        #expect(line.hasPrefix("[##"))
        for columns in 0..<100 {
            #expect(ProgressLine.line([0.3], [123_456_789], 0, columns: columns).count <= max(0, columns - 1))
        }
    }

    @Test func helpIsMadeOfEveryCommandsOwnWords() {
        for command in WebImageTool.commands {
            let specification = command.specification
            let text = HelpText.text(for: specification)
            #expect(text.hasPrefix("Usage: webimage \(specification.name)"))
            for option in specification.options { #expect(text.contains("--\(option.name)")) }
            #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 })
            #expect(
                HelpText.overview(WebImageTool.commands.map { $0.specification }).contains(specification.name)
            )
        }
    }
}

@Suite struct ToolOutputNameTests {
    @Test func namesAreTakenFromURLsAndMadeUnique() {
        let urls = [
            "http://h/a/photo.jpg", "http://h/b/photo.png?x=1", "http://h/Photo", "http://h/", "data:,x",
            "http://h/a%20b.tar", "http://h/..%2F..%2Fetc%2Fpasswd", "http://h/.hidden.png",
            "http://h/x%1By.gif",
        ]
        #expect(
            OutputNames.stems(for: urls) == [
                "photo", "photo-2", "Photo-3", "image", "image-2", "a b.tar", "_.._etc_passwd", "hidden",
                "x\u{FFFD}y",
            ])
    }

    @Test func aLongNameIsCut() {
        let stem = OutputNames.stems(for: ["http://h/" + String(repeating: "ü", count: 300) + ".jpg"])[0]
        #expect(stem.utf8.count <= 200)
        #expect(stem.hasPrefix("üü"))
    }
}
