// SPDX-License-Identifier: MIT
import Testing
import WebImage

@testable import WebImageTool

@Suite struct ToolArgumentParserTests {
    private let parser = ArgumentParser(options: [
        OptionSpecification("output", short: "o", value: "FILE", ""),
        OptionSpecification("json", short: "j", ""),
        OptionSpecification("resize", short: "r", value: "WxH", ""),
        OptionSpecification("reset", ""),
    ])

    private func parse(_ arguments: RawText...) throws -> ParsedArguments { try parser.parse(arguments) }

    @Test(arguments: [
        ["--output", "a.png"], ["--output=a.png"], ["-o", "a.png"], ["-oa.png"], ["--out=a.png"],
        ["-jo", "a.png"],
        ["-joa.png"],
    ])
    func anOptionsValueFollowsInEveryForm(arguments: [String]) throws {
        let parsed = try parser.parse(arguments.map { RawText($0) })
        #expect(parsed.value("output") == "a.png")
        #expect(parsed.operands.isEmpty)
    }

    @Test func optionsAndOperandsMayBeMixed() throws {
        let parsed = try parse("one", "--json", "two", "-o", "x", "three")
        #expect(parsed.operands == ["one", "two", "three"])
        #expect(parsed.isSet("json"))
        #expect(!parsed.isSet("reset"))
    }

    @Test func nothingIsAnOptionAfterTheDoubleDash() throws {
        let parsed = try parse("--json", "--", "--output", "-x", "--")
        #expect(parsed.operands == ["--output", "-x", "--"])
        #expect(parsed.value("output") == nil)
    }

    @Test func aDashAloneIsAnOperandAndAValue() throws {
        let parsed = try parse("-", "-o", "-")
        #expect(parsed.operands == ["-"])
        #expect(parsed.value("output") == "-")
    }

    @Test func aValueMayBeEmptyOrLookLikeAnOption() throws {
        #expect(try parse("--output=").value("output") == "")
        #expect(try parse("--output", "--json").value("output") == "--json")
        #expect(try parse("-o", "").value("output") == "")
    }

    @Test func theLastOfRepeatedOptionsCounts() throws {
        #expect(try parse("-o", "a", "--output=b").value("output") == "b")
    }

    @Test func bytesThatAreNoUTF8PassThrough() throws {
        let name = RawText([0x62, 0xFF, 0x2E, 0x70])
        #expect(try parser.parse([RawText(Array("--output=".utf8) + name.bytes)]).value("output") == name)
        #expect(try parser.parse([name]).operands == [name])
    }

    @Test(
        arguments: zip(
            [["--nope"], ["-x"], ["--res=1x1"], ["--output"], ["-o"], ["--json=yes"], ["-\u{FC}"], ["--=x"]],
            [
                "There is no option --nope here.", "There is no option -x here.",
                "The option --res is ambiguous: it may mean --resize, --reset.",
                "The option --output needs a value.",
                "The option -o needs a value.", "The option --json takes no value.",
                "There is no option -\u{FC} here.",
                "There is no option -- here.",
            ]))
    func aWrongCommandLineIsToldInOneSentence(arguments: [String], message: String) {
        #expect(throws: UsageError(message)) { try parser.parse(arguments.map { RawText($0) }) }
    }
}

@Suite struct ToolArgumentValueTests {
    private func parsed(_ arguments: String...) throws -> ParsedArguments {
        let options = ["resize", "fit", "quality", "format", "timeout"].map {
            OptionSpecification($0, value: "VALUE", "")
        }
        return try ArgumentParser(options: options).parse(arguments.map { RawText($0) })
    }

    @Test(
        arguments: zip(["300x200", "300X200", "300x", "x200"], [(300, 200), (300, 200), (300, 0), (0, 200)]))
    func aBoxHasOneSideOrTwo(text: String, sides: (Int, Int)) throws {
        let edits = try Edits(parsed("--resize", text))
        #expect(edits.thumbnail == PixelSize(width: sides.0, height: sides.1))
        #expect(edits.transformer == nil)
    }

    @Test(arguments: [
        "", "x", "300", "0x10", "-3x10", "+3x10", "3x10x2", "70000x10", "99999999999999999999x1", "a x b",
        "3 x 4",
    ])
    func aBoxThatMakesNoSenseIsRefused(text: String) throws {
        let arguments = try parsed("--resize=\(text)")
        #expect(throws: UsageError.self) { try Edits(arguments) }
    }

    @Test func coverAndFillNeedBothSides() throws {
        let cover = try Edits(parsed("--resize=3x4", "--fit=cover"))
        #expect(
            cover.transformer?.keyPart.description == "resize(v1,3x4,cover,lanczos3)"
                && cover.thumbnail == nil)
        for mode in ["cover", "fill"] {
            let arguments = try parsed("--resize=3x", "--fit", mode)
            #expect(throws: UsageError.self) { try Edits(arguments) }
        }
    }

    @Test func fitAloneAndUnknownFitsAreRefused() throws {
        let alone = try parsed("--fit=cover")
        #expect(throws: UsageError.self) { try Edits(alone) }
        let unknown = try parsed("--resize=3x4", "--fit=stretch")
        #expect(throws: UsageError.self) { try Edits(unknown) }
    }

    @Test(
        arguments: zip(
            ["png", "PNG", "jpg", "jpeg", "pam", "tif"], ["png", "png", "jpeg", "jpeg", "pam", "tiff"]))
    func aFormatIsNamedByNameOrExtension(text: String, name: String) throws {
        #expect(try parsed("--format", text).format("format")?.name == name)
    }

    @Test func anUnknownFormatIsRefused() throws {
        let arguments = try parsed("--format=docx")
        #expect(throws: UsageError("The option --format takes the name of a picture format, not \"docx\".")) {
            try arguments.format("format")
        }
    }

    @Test(arguments: ["0", "101", "x", "", "8.5", "99999999999999999999"])
    func aQualityOutsideItsRangeIsRefused(text: String) throws {
        let arguments = try parsed("--quality=\(text)")
        #expect(throws: UsageError.self) { try arguments.encoding() }
    }

    @Test func secondsMayHaveFractions() throws {
        #expect(try parsed("--timeout=1.5").seconds("timeout") == .milliseconds(1500))
        #expect(try parsed().seconds("timeout") == nil)
        for text in ["0", "-1", "nan", "inf", "1e300", "soon"] {
            let arguments = try parsed("--timeout=\(text)")
            #expect(throws: UsageError.self) { try arguments.seconds("timeout") }
        }
    }
}

@Suite struct ToolRawTextTests {
    @Test(
        arguments: zip(
            ["http://h/x", "HTTPS://h", "data:image/png,x", "file:///x", "x+y.z-1://a"],
            repeatElement(true, count: 5)))
    func urlsAreSeenByTheirScheme(text: String, isURL: Bool) {
        #expect(RawText(text).isURL == isURL)
    }

    @Test(arguments: ["http", "http:x", "photo.jpg", "a/b://c", "://x", "1ab://x", "", "-", "c:\\x.png"])
    func namesOfFilesAreNoURLs(text: String) {
        #expect(!RawText(text).isURL)
    }

    @Test func aPathIsTakenApart() {
        #expect(RawText("a/b.c/photo.JPG").fileExtension == "JPG")
        #expect(RawText("a.b/photo").fileExtension == "")
        #expect(RawText(".png").fileExtension == "")
        #expect(RawText("a/b//c").flattened == "a__b____c")
        #expect(RawText("dir").appending(component: "x") == "dir/x")
        #expect(RawText("dir/").appending(component: "x") == "dir/x")
    }
}
