// SPDX-License-Identifier: MIT
internal import WITestKit
internal import WebImage

/// The picture of all that was loaded: a thumbnail or a sign for each URL, what became of it, and the
/// figures.
struct ContactSheet {
    /// The box that thumbnails fit into.
    static let thumbnail = PixelSize(width: 230, height: 160)

    private static let columns = 5
    private static let margin: Float = 32
    private static let gap: Float = 16
    private static let header: Float = 96
    private static let footer: Float = 138
    private static let caption: Float = 73
    private static let cell = (width: Float(thumbnail.width), height: Float(thumbnail.height) + caption)

    let outcomes: [DemoOutcome]
    let summary: DemoSummary

    private var rows: Int { (outcomes.count + Self.columns - 1) / Self.columns }

    private var size: PixelSize {
        let columns = Float(Self.columns)
        let width = 2 * Self.margin + columns * Self.cell.width + (columns - 1) * Self.gap
        let height = Self.header + Float(rows) * (Self.cell.height + Self.gap) + Self.footer
        return PixelSize(width: Int(width), height: Int(height))
    }

    /// Draws it.
    func draw() throws(ImageError) -> PixelBuffer {
        var canvas = try Canvas(width: size.width, height: size.height)
        canvas.fill { Theme.top.mixed(with: Theme.bottom, $0) }
        drawHeader(&canvas)
        for (index, outcome) in outcomes.enumerated() {
            let column = Float(index % Self.columns)
            let row = Float(index / Self.columns)
            let box = Box(
                Self.margin + column * (Self.cell.width + Self.gap),
                Self.header + row * (Self.cell.height + Self.gap), Self.cell.width, Self.cell.height)
            draw(outcome, in: box, &canvas)
        }
        drawFooter(&canvas)
        return canvas.publish(isOpaque: true)
    }

    private func drawHeader(_ canvas: inout Canvas) {
        let title = StrokeFont.Style(30, weight: 4.2, Theme.text)
        canvas.draw("WebImage", x: Self.margin, y: 30, title)
        let counts = [DemoSample.Kind.whole, .partial, .failed].map { kind in
            (kind, outcomes.count { $0.kind == kind })
        }
        var x = canvas.box.width - Self.margin
        for (kind, count) in counts.reversed() {
            let text = "\(count) \(Theme.word(kind))"
            let style = StrokeFont.Style(12, Theme.text)
            x -= StrokeFont.width(text, style)
            canvas.draw(text, x: x, y: 42, style)
            canvas.draw(.circle(Point(x - 14, 48), 6), Theme.ink(kind))
            x -= 44
        }
        canvas.draw(
            "\(outcomes.count) URLs, one page of answers",
            x: Self.margin + StrokeFont.width("WebImage", title) + 28, y: 47,
            StrokeFont.Style(13, Theme.quiet))
    }
}

extension ContactSheet {
    private func draw(_ outcome: DemoOutcome, in box: Box, _ canvas: inout Canvas) {
        canvas.draw(.rounded(box.inset(-1), 11), Theme.edge)
        canvas.draw(.rounded(box, 10), Theme.card)
        let picture = Box(box.x, box.y, box.width, Float(Self.thumbnail.height))
        if let image = outcome.image {
            draw(image.pixels, in: picture, &canvas)
        } else {
            FailureSign(outcome).draw(in: picture, &canvas)
        }
        Theme.badge(outcome.kind, at: Point(box.x + box.width - 18, box.y + 18), &canvas)
        let text = box.x + 12
        var y = picture.y + picture.height + 12
        canvas.draw(outcome.sample.name, x: text, y: y, StrokeFont.Style(12, Theme.text))
        canvas.draw(
            outcome.milliseconds, x: box.x + box.width - 12, y: y + 2, StrokeFont.Style(9.5, Theme.quiet),
            align: .right)
        y += 21.5
        canvas.draw(outcome.summary, x: text, y: y, StrokeFont.Style(9.5, Theme.ink(outcome.kind)))
        y += 17.5
        let note = StrokeFont.Style(9, Theme.quiet)
        canvas.draw(
            StrokeFont.fitting(outcome.sample.note, note, width: box.width - 24), x: text, y: y, note)
    }

    /// The thumbnail in the middle; very small pictures are enlarged by whole numbers, transparent ones show
    /// squares.
    private func draw(_ pixels: PixelBuffer, in box: Box, _ canvas: inout Canvas) {
        let factor = max(1, min(Int(box.width) / pixels.width, Int(box.height - 32) / pixels.height))
        let shown = factor > 1 ? (try? enlarged(pixels, factor)) ?? pixels : pixels
        let x = Int(box.x) + (Int(box.width) - shown.width) / 2
        let y = Int(box.y) + (Int(box.height) - shown.height) / 2
        let fillsBox = shown.width == Int(box.width) && shown.height == Int(box.height)
        if shown.alphaMode != .opaque || !fillsBox {
            Theme.backdrop(box, isClear: shown.alphaMode != .opaque, &canvas)
        }
        canvas.draw(shown, x: x, y: y, radius: fillsBox ? 10 : 4)
    }

    private func enlarged(_ pixels: PixelBuffer, _ factor: Int) throws(ImageError) -> PixelBuffer {
        let row = pixels.bytesPerRow
        return try pixels.withUnsafeBytes { (bytes) throws(ImageError) in
            try ImageFactory.picture(
                pixels.width * factor, pixels.height * factor, alphaMode: pixels.alphaMode
            ) { x, y, channel in bytes[y / factor * row + x / factor * 4 + channel] }
        }
    }

    private func drawFooter(_ canvas: inout Canvas) {
        let top = canvas.box.height - Self.footer + 12
        let width = (canvas.box.width - 2 * Self.margin - 3 * Self.gap) / 4
        for (index, round) in summary.rounds.enumerated() {
            let box = Box(
                Self.margin + Float(index) * (width + Self.gap), top, width, Self.footer - 12 - Self.margin)
            let requests = round.requests == 0 ? "no request" : "\(round.requests) requests"
            panel(
                "from \(round.name)", readable(round.duration), "\(round.outcomes.count) URLs, \(requests)",
                box, &canvas)
        }
        let box = Box(Self.margin + 3 * (width + Self.gap), top, width, Self.footer - 12 - Self.margin)
        panel(
            "the server saw", "\(summary.requests) requests",
            "\(summary.connections) connections, \(summary.sent)", box, &canvas)
    }

    private func panel(
        _ title: String, _ figure: String, _ detail: String, _ box: Box, _ canvas: inout Canvas
    ) {
        canvas.draw(.rounded(box, 10), Theme.card)
        canvas.draw(title, x: box.x + 14, y: box.y + 14, StrokeFont.Style(10, Theme.quiet))
        canvas.draw(figure, x: box.x + 14, y: box.y + 36, StrokeFont.Style(19, weight: 2.7, Theme.text))
        canvas.draw(detail, x: box.x + 14, y: box.y + 70, StrokeFont.Style(10, Theme.quiet))
    }
}
