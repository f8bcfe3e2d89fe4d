// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WITestKit
import WebImage

@testable import WebImageTool

@Suite struct ToolEditTests {
    private let runner: ToolRunner

    init() throws { runner = try ToolRunner() }

    private func edits(_ arguments: String...) throws -> Edits {
        try Edits(ArgumentParser(options: OptionSpecification.edits).parse(arguments.map { RawText($0) }))
    }

    private func key(_ edits: Edits) -> String { edits.transformer?.keyPart.description ?? "" }

    @Test func stepsAreDoneInTheOrderGiven() throws {
        let one = try edits("--rotate=90", "--crop", "3x4+1+2", "--grayscale")
        let other = try edits("--grayscale", "--crop", "3x4+1+2", "--rotate=90")
        #expect(key(one) != key(other))
        let parts: [any Transformer] = [
            RotateTransformer(degrees: 90), CropTransformer(PixelRect(x: 1, y: 2, width: 3, height: 4)),
            ColorMatrixTransformer(.grayscale()),
        ]
        #expect(key(one) == PipelineTransformer(parts).keyPart.description)
    }

    @Test func aFirstResizeIsDecodedToAndLaterOnesAreTransformers() throws {
        let first = try edits("--resize=30x", "--flip=h")
        #expect(first.thumbnail == PixelSize(width: 30, height: 0) && key(first) == "orientation(v1,2)")
        let later = try edits("--grayscale", "--resize=30x")
        #expect(later.thumbnail == nil && key(later).contains("resize(v1,30x,lanczos3,shrink)"))
        #expect(
            key(try edits("--resize=30x20", "--kernel=mitchell"))
                == "resize(v1,30x20,contain,mitchell,shrink)")
        #expect(key(try edits("--resize=150%")) == "resize(v1,1.5,lanczos3)")
    }

    @Test func modifiersBelongToTheStepBeforeThemOrElseAfter() throws {
        let two = try edits(
            "--crop=3x3", "--gravity=top-left", "--resize=5x5", "--fit=cover", "--gravity=attention")
        #expect(key(two).contains("crop(v1,3x3,topLeft)") && key(two).contains("cover,lanczos3,attention"))
        #expect(
            key(try edits("--fit=cover", "--gravity=left", "--resize=5x5")).hasSuffix("cover,lanczos3,left)"))
        #expect(key(try edits("--background=#fff")) == "flatten(v1,1/1/1/1)")
        #expect(key(try edits("--background=#fff", "--rotate=45")) == "rotate(v1,45,fit,1/1/1/1)")
        #expect(key(try edits("--pad=2", "--background=black")) == "pad(v1,2/2/2/2,0/0/0/1)")
        #expect(key(try edits("--pad=1,2,3,4")) == "pad(v1,1/4/3/2,0/0/0/0)")
    }

    @Test(arguments: [
        ["--kernel=box"], ["--resize=3x3", "--kernel=cubic"], ["--resize=3x", "--gravity=top"],
        ["--resize=0%"],
        ["--resize=nan%"], ["--crop=3"], ["--crop=3x4+1"], ["--crop=3x4+1+2", "--gravity=top"],
        ["--crop=-3x4"],
        ["--rotate=nan"], ["--rotate=inf"], ["--flip=diagonal"], ["--pad=1,2,3"], ["--pad=-1"],
        ["--pad=a,b,c,d,1"],
        ["--round=big"], ["--round=3", "--border=3"], ["--border=3,red"], ["--blur="], ["--sharpen=1,2,3,4"],
        ["--sharpen=1,,2"], ["--tint=red"], ["--tint=#fff", "--blend=mix"], ["--duotone=#fff"], ["--gamma=x"],
        ["--overlay=/nowhere.png"], ["--overlay=https://example.com/a.png"], ["--opacity=1"], ["--inset=3"],
        ["--blur=99999999999999999999999x"], ["--grayscale=1"],
    ])
    func aLineThatMakesNoSenseIsAUsageError(arguments: [String]) {
        #expect(throws: UsageError.self) {
            try Edits(ArgumentParser(options: OptionSpecification.edits).parse(arguments.map { RawText($0) }))
        }
    }

    @Test func everyStepWorksFromOutside() async throws {
        let (source, logo) = (runner.path("a.pam"), runner.path("logo.pam"))
        try Data(pam(40, 24)).write(to: URL(filePath: source))
        try Data(pam(4, 4)).write(to: URL(filePath: logo))
        for (arguments, size) in [
            (["--resize=50%"], "20x12"), (["--crop=10x8+1+2"], "10x8"),
            (["--crop=10x8", "--gravity=entropy"], "10x8"),
            (["--trim"], nil), (["--rotate=90"], "24x40"), (["--rotate=45", "--background=white"], "46x46"),
            (["--flip=both"], "40x24"), (["--pad=3"], "46x30"), (["--pad=50x50", "--gravity=top"], "50x50"),
            (["--round=5", "--border=2,#f00"], "40x24"), (["--round=circle"], "24x24"),
            (["--blur=3"], "40x24"),
            (["--sharpen=1,0.5"], "40x24"), (["--tint=#0af"], "40x24"),
            (["--tint=#0af", "--blend=soft-light"], "40x24"),
            (["--grayscale"], "40x24"), (["--sepia"], "40x24"), (["--invert"], "40x24"),
            (["--brightness=2"], "40x24"),
            (["--contrast=0.5"], "40x24"), (["--saturation=2"], "40x24"), (["--gamma=2.2"], "40x24"),
            (["--duotone=#003,#ffe"], "40x24"), (["--overlay", logo, "--opacity=0.5", "--inset=2"], "40x24"),
            (["--flatten=#fff"], "40x24"),
            (["--resize=10x10", "--linear", "--kernel=box", "--fit=fill"], "10x10"),
        ] as [([String], String?)] {
            let outcome = try await runner.run(
                ["convert", source, runner.path("b.png"), "--json"] + arguments)
            #expect(outcome.status == 0 && outcome.complaints.isEmpty, "\(arguments): \(outcome.complaints)")
            guard let size else { continue }
            let sides = size.split(separator: "x")
            #expect(
                outcome.text.contains("\"width\": \(sides[0]),\n    \"height\": \(sides[1]),"), "\(arguments)"
            )
        }
    }

    @Test func whatTheTransformersRefuseIsOneSentence() async throws {
        let source = runner.path("a.pam")
        try Data(pam(4, 4)).write(to: URL(filePath: source))
        for arguments in [
            ["--blur=-1"], ["--blur=1e9"], ["--gamma=0"], ["--rotate=1e300"], ["--pad=100000"],
            ["--crop=0x3"],
            ["--crop=3x3+9+9"], ["--round=-2"], ["--sharpen=1,1e9"], ["--resize=10000%", "--resize=10000%"],
        ] {
            let outcome = try await runner.run(["convert", source, runner.path("b.png")] + arguments)
            #expect(
                outcome.status == 1 && outcome.sentences.count == 1, "\(arguments): \(outcome.complaints)")
        }
    }

    @Test(.enabled(if: Corpus.isPresent)) func coloursBecomeSRGBAndTheProfileGoes() async throws {
        let source = try #require(Corpus.shared?.root.appending(path: "png/sharp--p3.png").path)
        for (arguments, hasProfile) in [([], true), (["--srgb"], false), (["--srgb", "--rotate=45"], false)] {
            let output = runner.path("out.png")
            let outcome = try await runner.run(["convert", source, output] + arguments)
            #expect(outcome.status == 0)
            #expect(try await runner.run("info", output).text.contains("ICC") == hasProfile)
        }
    }

    @Test func animationsAreChangedFrameByFrameAndAlike() async throws {
        let (source, output) = (runner.path("a.gif"), runner.path("b.gif"))
        let frames = try (0..<3).map { index in
            let pixels = try MutablePixels(width: 20, height: 10, alphaMode: .straight).publish()
            let dot = try PadTransformer(.size(size(20, 10), .left)).transform(
                FlattenTransformer(SRGBColor(red: Double(index) / 2, green: 0, blue: 0)).transform(
                    MutablePixels(width: 4 + index, height: 4).publish(), WorkContext()), WorkContext())
            return try OverlayTransformer(dot).transform(pixels, WorkContext())
        }
        let list = try FrameList(frames.map { ($0, 100) })
        let image = DecodedImage(pixels: frames[0], format: .gif, loopCount: 0, frames: list)
        try GIFCoder().encode(image, as: .gif, EncodeOptions(), WorkContext()).write(
            to: URL(filePath: source))
        for arguments in [["--trim"], ["--rotate=30"], ["--blur=1"], ["--crop=5x5", "--gravity=attention"]] {
            let outcome = try await runner.run(["convert", source, output] + arguments)
            #expect(outcome.status == 0, "\(arguments): \(outcome.complaints)")
            #expect(try await runner.run("info", output).text.contains("3 frames"))
        }
    }

    private func size(_ width: Int, _ height: Int) -> PixelSize { PixelSize(width: width, height: height) }

    @Test func palettesAndHashesArePrinted() async throws {
        let source = runner.path("a.pam")
        try Data(pam(9, 7)).write(to: URL(filePath: source))
        let palette = try await runner.run("palette", "--count=3", source)
        #expect(palette.status == 0 && palette.text.hasPrefix("\(source): #") && palette.text.contains("%"))
        let hash = try await runner.run("thumbhash", source)
        #expect(hash.status == 0 && hash.text.hasPrefix("\(source): "))
        let json = try await runner.run("thumbhash", "--json", source, "/nowhere")
        #expect(
            json.status == 1 && json.text.contains("\"blurHash\": \"L") && json.text.contains("fileNotFound"))
    }
}
