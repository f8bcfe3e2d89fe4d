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
}
