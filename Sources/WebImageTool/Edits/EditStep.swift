// SPDX-License-Identifier: MIT
internal import WebImage

/// One thing to be done to a picture, with what was said about how.
struct EditStep: Hashable, Sendable {
    let name: String
    let value: RawText
    fileprivate(set) var modifiers: [String: RawText] = [:]

    /// Which steps take a modifier.
    private static let takers: [String: Set<String>] = [
        "fit": ["resize"], "kernel": ["resize"], "linear": ["resize"],
        "gravity": ["resize", "crop", "pad", "overlay"],
        "background": ["rotate", "pad"], "border": ["round"], "blend": ["tint", "overlay"],
        "opacity": ["overlay"],
        "inset": ["overlay"],
    ]

    /// The steps of a command line in their order.
    static func steps(of arguments: ParsedArguments) throws(UsageError) -> [EditStep] {
        let names = Set(OptionSpecification.steps.map(\.name))
        var steps: [EditStep] = []
        var early: [GivenOption] = []
        for option in arguments.options {
            if names.contains(option.name) {
                var step = EditStep(name: option.name, value: option.value)
                for modifier in early where step.takes(modifier.name) {
                    step.modifiers[modifier.name] = modifier.value
                }
                early.removeAll { step.takes($0.name) }
                steps.append(step)
            } else if takers[option.name] != nil {
                if let last = steps.lastIndex(where: { $0.takes(option.name) }) {
                    steps[last].modifiers[option.name] = option.value
                } else if option.name == "background", !wantsBackground(arguments) {
                    steps.append(EditStep(name: "flatten", value: option.value))
                } else {
                    early.append(option)
                }
            }
        }
        guard let lost = early.first else { return steps }
        let owners = (takers[lost.name] ?? []).sorted().map { "--" + $0 }.joined(separator: ", ")
        throw UsageError("The option --\(lost.name) makes sense with \(owners) only.")
    }

    private static func wantsBackground(_ arguments: ParsedArguments) -> Bool {
        arguments.isSet("rotate") || arguments.isSet("pad")
    }

    private func takes(_ modifier: String) -> Bool { Self.takers[modifier]?.contains(name) == true }
}

extension EditStep {
    func fail(_ takes: String, option: String? = nil, not text: RawText? = nil) -> UsageError {
        UsageError("The option --\(option ?? name) takes \(takes), not \(quoted((text ?? value).text)).")
    }

    /// A finite number.
    func number(_ text: some StringProtocol, option: String? = nil) throws(UsageError) -> Double {
        guard let number = Double(String(text)), number.isFinite else {
            throw fail("a number", option: option)
        }
        return number
    }

    /// Numbers between commas.
    func numbers(_ count: ClosedRange<Int>, _ takes: String) throws(UsageError) -> [Double] {
        let parts = value.text.split(separator: ",", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { Double($0) }.filter(\.isFinite)
        guard numbers.count == parts.count, count.contains(numbers.count) else { throw fail(takes) }
        return numbers
    }

    func color(_ text: some StringProtocol, option: String? = nil) throws(UsageError) -> SRGBColor {
        switch text.lowercased() {
        case "black": return .black
        case "white": return .white
        case "clear", "transparent": return .clear
        default:
            guard let color = SRGBColor(hex: String(text)) else {
                throw fail(
                    "a colour such as #ff8000, black or white", option: option, not: RawText(String(text)))
            }
            return color
        }
    }

    /// The modifier's choice; nil where it was not given.
    func choice<Choice: CaseIterable & RawRepresentable<String>>(
        _ modifier: String, _ choices: Choice.Type
    ) throws(UsageError) -> Choice? {
        guard let text = modifiers[modifier]?.text.lowercased() else { return nil }
        if let choice = choices.allCases.first(where: { OptionSpecification.dashed($0.rawValue) == text }) {
            return choice
        }
        throw fail(OptionSpecification.names(choices), option: modifier, not: modifiers[modifier])
    }

    func number(of modifier: String) throws(UsageError) -> Double? {
        guard let text = modifiers[modifier] else { return nil }
        guard let number = Double(text.text), number.isFinite else {
            throw fail("a number", option: modifier, not: text)
        }
        return number
    }

    func background() throws(UsageError) -> SRGBColor? {
        guard let text = modifiers["background"] else { return nil }
        return try color(text.text, option: "background")
    }
}
