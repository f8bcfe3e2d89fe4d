// SPDX-License-Identifier: MIT
internal import WebImage

extension ParsedArguments {
    /// The number of an option that takes a whole number within `range`.
    func integer(_ option: String, _ range: ClosedRange<Int>) throws(UsageError) -> Int? {
        guard let text = value(option)?.text else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw UsageError(
                "The option --\(option) takes a whole number from \(range.lowerBound) to \(range.upperBound), "
                    + "not \(quoted(text)).")
        }
        return number
    }

    /// The seconds of an option.
    func seconds(_ option: String) throws(UsageError) -> Duration? {
        guard let text = value(option)?.text else { return nil }
        guard let number = Double(text), number > 0, number <= 1_000_000 else {
            throw UsageError("The option --\(option) takes a number of seconds above 0, not \(quoted(text)).")
        }
        return .milliseconds(max(1, Int((number * 1000).rounded())))
    }

    /// The format named by an option, by its name or one of its file extensions.
    func format(_ option: String) throws(UsageError) -> ImageFormat? {
        guard let text = value(option)?.text else { return nil }
        let name = text.lowercased()
        if let format = ImageFormat.all.first(where: { $0.name == name }) { return format }
        if let format = ImageFormat.named(byExtension: name) { return format }
        throw UsageError("The option --\(option) takes the name of a picture format, not \(quoted(text)).")
    }

    /// The box of `--resize` and the way of `--fit`.
    func resize() throws(UsageError) -> ResizeRequest? {
        let fit = try fitMode()
        guard let text = value("resize")?.text else {
            if fit != nil { throw UsageError("The option --fit makes sense with --resize only.") }
            return nil
        }
        let sides = text.lowercased().split(separator: "x", omittingEmptySubsequences: false)
        guard sides.count == 2, let width = Self.side(sides[0]), let height = Self.side(sides[1]),
            width > 0 || height > 0
        else {
            throw UsageError(
                "The option --resize takes WIDTHxHEIGHT in pixels up to \(Self.longestSide), such as 300x200, 300x "
                    + "or x200, not \(quoted(text)).")
        }
        let mode = fit ?? .contain
        if mode != .contain, width == 0 || height == 0 {
            throw UsageError("With --fit \(mode.rawValue), --resize needs both sides, such as 300x200.")
        }
        return ResizeRequest(box: PixelSize(width: width, height: height), fit: mode)
    }

    private func fitMode() throws(UsageError) -> FitMode? {
        guard let text = value("fit")?.text else { return nil }
        guard let mode = FitMode(rawValue: text.lowercased()) else {
            throw UsageError("The option --fit takes contain, cover or fill, not \(quoted(text)).")
        }
        return mode
    }

    private static let longestSide = 65_535

    /// A side of the box: 0 where it is left out, nil where it is no sensible number.
    private static func side(_ text: Substring) -> Int? {
        if text.isEmpty { return 0 }
        guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let number = Int(text), (1...longestSide).contains(number)
        else { return nil }
        return number
    }
}
