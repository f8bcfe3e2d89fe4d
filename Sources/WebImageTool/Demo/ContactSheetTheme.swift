// SPDX-License-Identifier: MIT
internal import WITestKit
internal import WebImage

/// Colours and signs of the contact sheet.
enum Theme {
    static let top = Ink(0x171b24)
    static let bottom = Ink(0x0f1218)
    static let card = Ink(0x222835)
    static let edge = Ink(0x313949)
    static let text = Ink(0xf1f4fa)
    static let quiet = Ink(0x98a3b8)

    static func ink(_ kind: DemoSample.Kind) -> Ink {
        switch kind {
        case .whole: Ink(0x4ade94)
        case .partial: Ink(0xfbbf45)
        case .failed: Ink(0xf8727f)
        }
    }

    static func word(_ kind: DemoSample.Kind) -> String {
        switch kind {
        case .whole: "whole"
        case .partial: "in part"
        case .failed: "failed, each with its reason"
        }
    }

    /// A disc with a tick, an exclamation mark or a cross.
    static func badge(_ kind: DemoSample.Kind, at place: Point, _ canvas: inout Canvas) {
        canvas.draw(.circle(place, 12), card.faded(0.9))
        canvas.draw(.circle(place, 9.5), ink(kind))
        let (x, y) = (place.x, place.y)
        let dark = Ink(0x10151d)
        switch kind {
        case .whole:
            canvas.draw(
                .line([Point(x - 4, y + 0.5), Point(x - 1, y + 3.5), Point(x + 4.5, y - 3)], width: 2), dark)
        case .partial:
            canvas.draw(.line([Point(x, y - 4.5), Point(x, y + 1)], width: 2.2), dark)
            canvas.draw(.circle(Point(x, y + 4.6), 1.3), dark)
        case .failed:
            canvas.draw(.line([Point(x - 3.5, y - 3.5), Point(x + 3.5, y + 3.5)], width: 2), dark)
            canvas.draw(.line([Point(x + 3.5, y - 3.5), Point(x - 3.5, y + 3.5)], width: 2), dark)
        }
    }

    /// What lies behind a picture that does not cover its box: squares where it is transparent.
    static func backdrop(_ box: Box, isClear: Bool, _ canvas: inout Canvas) {
        canvas.draw(
            .rounded(box, 10),
            Fill { x, y in
                guard isClear else { return Ink(0x151922) }
                let isOdd = (Int(x - box.x) / 10 + Int(y - box.y) / 10) % 2 == 1
                return isOdd ? Ink(0xc9ced8) : Ink(0xf4f6f9)
            })
    }
}

/// The sign in the place of a picture that did not come.
struct FailureSign {
    private let code: ImageError.Code
    private let status: Int?

    init(_ outcome: DemoOutcome) {
        code = outcome.error?.code ?? .pluginFailed
        status = outcome.error?.httpStatus
    }

    func draw(in box: Box, _ canvas: inout Canvas) {
        canvas.draw(
            .rounded(box, 10),
            .linear(Point(box.x, box.y), Point(box.x, box.y + box.height), Ink(0x2c2431), Ink(0x1c1e29)))
        let ink = Ink(0x7d6672)
        let (x, y) = (box.center.x, box.center.y)
        switch code {
        case .httpStatus:
            canvas.draw(
                "\(status ?? 0)", x: x, y: y - 22, StrokeFont.Style(44, weight: 6, ink), align: .center)
        case .timeout:
            canvas.draw(.ring(Point(x, y), 34, width: 6), ink)
            canvas.draw(.line([Point(x, y - 20), Point(x, y), Point(x + 14, y + 9)], width: 6), ink)
        case .notAnImage:
            canvas.draw("</>", x: x, y: y - 24, StrokeFont.Style(44, weight: 6, ink), align: .center)
        case .dimensionLimit:
            drawLimit(x, y, ink, &canvas)
        default:
            drawBreak(x, y, ink, &canvas)
        }
    }

    /// A small frame with arrows that want out of it.
    private func drawLimit(_ x: Float, _ y: Float, _ ink: Ink, _ canvas: inout Canvas) {
        canvas.draw(.frame(Box(x - 14, y - 14, 28, 28), 4, width: 5), ink)
        for (dx, dy) in [(1, 1), (1, -1), (-1, 1), (-1, -1)] as [(Float, Float)] {
            let tip = Point(x + 44 * dx, y + 40 * dy)
            canvas.draw(.line([Point(x + 23 * dx, y + 21 * dy), tip], width: 5), ink)
            canvas.draw(
                .line([Point(tip.x - 15 * dx, tip.y), tip, Point(tip.x, tip.y - 15 * dy)], width: 5), ink)
        }
    }

    /// A plug and a socket that came apart.
    private func drawBreak(_ x: Float, _ y: Float, _ ink: Ink, _ canvas: inout Canvas) {
        canvas.draw(.line([Point(x - 64, y), Point(x - 34, y)], width: 6), ink)
        canvas.draw(.rounded(Box(x - 36, y - 17, 24, 34), 7), ink)
        canvas.draw(.line([Point(x - 12, y - 8), Point(x - 3, y - 8)], width: 5), ink)
        canvas.draw(.line([Point(x - 12, y + 8), Point(x - 3, y + 8)], width: 5), ink)
        canvas.draw(.line([Point(x + 34, y), Point(x + 64, y)], width: 6), ink)
        canvas.draw(.rounded(Box(x + 12, y - 17, 24, 34), 7), ink)
    }
}
