// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import WITestKit
internal import WebImage

extension DemoSample {
    /// How long the demo waits for the server that never answers.
    private static let patience = Duration.milliseconds(700)

    /// Everything that the demo shows, in the order of the contact sheet.
    static let all: [DemoSample] = photographs + drawings + oddities + failures

    private static let photographs: [DemoSample] = [
        DemoSample(
            "dawn.jpg", "JPEG, as a camera writes it", .jpeg,
            { try DemoLandscapes.hills(DemoLandscapes.dawn) }),
        DemoSample("night.jpg", "in chunks, of no stated length", .jpeg, DemoLandscapes.night) {
            $0.chunked(4096)
        },
        DemoSample(
            "aurora.jpg", "progressive, and it drips", .jpeg, DemoLandscapes.aurora, options: progressive
        ) {
            $0.dripping(max(1, $0.body.count / 10), every: .milliseconds(60))
        },
        DemoSample("tiles.jpg", "twelve megapixels", .jpeg, DemoPatterns.tiles),
        DemoSample("sea.jpg", "moved twice before it is found") {
            let file = try DemoSample.file(try DemoLandscapes.sea(), .jpeg)
            return [
                ("/sea.jpg", .redirect(to: "/harbour/sea.jpg", status: 301)),
                ("/harbour/sea.jpg", .redirect(to: "noon.jpg")),
                ("/harbour/noon.jpg", .ok(file, type: "image/jpeg")),
            ]
        },
    ]

    private static let drawings: [DemoSample] = [
        DemoSample("glass.png", "PNG with transparency", .png, DemoGraphics.glass),
        DemoSample("page.png", "sharp edges, few colours", .png, DemoGraphics.page),
        DemoSample("wheel.png", "every hue, on nothing", .png, DemoGraphics.wheel),
        DemoSample("fractal.png", "gradients without end", .png, DemoPatterns.fractal),
        DemoSample("window.png", "interlaced PNG", .png, DemoGraphics.window, options: interlaced),
    ]

    private static let oddities: [DemoSample] = [
        DemoSample(
            "balloon.jpg", "lies on its side, EXIF says so", .jpeg,
            { try DemoPatterns.lyingDown(try DemoPatterns.balloon()) }, options: withEXIF, metadata: lyingDown
        ),
        DemoSample("chart.png", "called text/plain by the server", .png, DemoGraphics.chart) { script in
            .ok(script.body, type: "text/plain")
        },
        DemoSample("poster.png", "a name that lies: it is a JPEG") {
            [("/poster.png", .ok(try DemoSample.file(try DemoGraphics.poster(), .jpeg), type: "image/png"))]
        },
        DemoSample("heart.pam", "Netpbm, sixteen pixels wide", .pam, DemoGraphics.heart),
        DemoSample(
            "canyon.jpg", "the file ends too soon", .jpeg,
            { try DemoLandscapes.hills(DemoLandscapes.canyon) },
            expected: .partial
        ) { script in
            .ok(Array(script.body.prefix(script.body.count * 6 / 10)), type: "image/jpeg")
        },
    ]

    private static let failures: [DemoSample] = [
        DemoSample("missing.png", "there is no such picture", .failed) { [("/missing.png", .failure(404))] },
        DemoSample("login.jpg", "a web page in its place", .failed) {
            let page = "<!doctype html><html><title>Log in</title><body>Please log in.</body></html>"
            return [("/login.jpg", .ok(Array(page.utf8), type: "text/html"))]
        },
        DemoSample("silence.jpg", "the server never answers", .failed, timeout: patience) {
            [("/silence.jpg", .hang)]
        },
        DemoSample("reset.jpg", "the connection breaks", .failed) { [("/reset.jpg", .reset)] },
        DemoSample("bomb.png", "claims 100,000 × 100,000", .failed) {
            var file = try DemoSample.file(try ImageFactory.gradient(8, 8), .png)
            // Behind the signature, the chunk's length and its name: the sides, 8-bit RGB, and the checksum of that.
            let header: [UInt8] = [0, 1, 0x86, 0xa0, 0, 1, 0x86, 0xa0, 8, 2, 0, 0, 0, 0x27, 0x30, 0x9c, 0x9f]
            file.replaceSubrange(16..<16 + header.count, with: header)
            return [("/bomb.png", .ok(file, type: "image/png"))]
        },
    ]
}

extension DemoSample {
    private static var progressive: EncodeOptions {
        var options = EncodeOptions()
        options[JPEGEncoding.self].isProgressive = true
        return options
    }

    private static var interlaced: EncodeOptions {
        var options = EncodeOptions()
        options[PNGEncoding.self].isInterlaced = true
        return options
    }

    private static var withEXIF: EncodeOptions {
        var options = EncodeOptions()
        options.keepsEXIF = true
        return options
    }

    /// Metadata with an EXIF block of one tag: to be turned clockwise by a quarter.
    private static var lyingDown: ImageMetadata {
        let block: [UInt8] = [
            0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 0x01, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0,
        ]
        return ImageMetadata(
            storedSize: PixelSize(width: 640, height: 480), orientation: .right, exif: Data(block))
    }
}
