// SPDX-License-Identifier: MIT

/// A command line that cannot be followed: the program says the sentence and ends with status 2.
struct UsageError: Error, Hashable, Sendable {
    let message: String
    init(_ message: String) { self.message = message }
}

/// A command line, taken apart.
struct ParsedArguments: Hashable, Sendable {
    /// Values by the option's long name, in the order given; a switch has an empty one.
    private(set) var values: [String: [RawText]] = [:]
    private(set) var operands: [RawText] = []
    /// All options, in the order given.
    private(set) var options: [GivenOption] = []

    fileprivate mutating func add(_ option: OptionSpecification, _ value: RawText) {
        values[option.name, default: []].append(value)
        options.append(GivenOption(name: option.name, value: value))
    }

    fileprivate mutating func add(_ operand: RawText) { operands.append(operand) }

    func isSet(_ option: String) -> Bool { values[option] != nil }

    /// The option's value; the last one counts.
    func value(_ option: String) -> RawText? { values[option]?.last }

    /// The first operand taken off, for words such as those of `cache`.
    mutating func takeOperand() -> RawText? { operands.isEmpty ? nil : operands.removeFirst() }
}

/// An option as it was given; a switch has an empty value.
struct GivenOption: Hashable, Sendable {
    let name: String
    let value: RawText
}

/// Takes a command line apart as GNU programs do.
///
/// Options and operands may be mixed; `--name=value` and `--name value`, `-nvalue` and `-n value`; several switches in
/// one word (`-ab`); a long name may be cut where it stays unambiguous; `--` ends the options; `-` is an operand.
struct ArgumentParser: Sendable {
    let options: [OptionSpecification]

    func parse(_ arguments: [RawText]) throws(UsageError) -> ParsedArguments {
        var parsed = ParsedArguments()
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument.bytes == Array("--".utf8) {
                for operand in rest { parsed.add(operand) }
                return parsed
            }
            if argument.bytes.starts(with: Array("--".utf8)) {
                try parseLong(argument, &rest, &parsed)
            } else if argument.bytes.count > 1, argument.bytes.first == UInt8(ascii: "-") {
                try parseShort(argument, &rest, &parsed)
            } else {
                parsed.add(argument)
            }
        }
        return parsed
    }

    private func parseLong(
        _ argument: RawText, _ rest: inout ArraySlice<RawText>, _ parsed: inout ParsedArguments
    ) throws(UsageError) {
        let word = argument.bytes.dropFirst(2)
        let equals = word.firstIndex(of: UInt8(ascii: "="))
        let name = String(decoding: word[..<(equals ?? word.endIndex)], as: UTF8.self)
        let option = try find(name)
        let attached = equals.map { RawText(Array(word[($0 + 1)...])) }
        guard option.value != nil else {
            if attached != nil { throw UsageError("The option --\(option.name) takes no value.") }
            return parsed.add(option, "")
        }
        if let attached { return parsed.add(option, attached) }
        parsed.add(option, try next(&rest, for: "--\(option.name)"))
    }

    private func find(_ name: String) throws(UsageError) -> OptionSpecification {
        if let exact = options.first(where: { $0.name == name }) { return exact }
        let candidates = name.isEmpty ? [] : options.filter { $0.name.hasPrefix(name) }
        if candidates.count == 1, let only = candidates.first { return only }
        guard candidates.isEmpty else {
            let names = candidates.map { "--" + $0.name }.joined(separator: ", ")
            throw UsageError("The option --\(name) is ambiguous: it may mean \(names).")
        }
        throw UsageError("There is no option --\(name) here.")
    }

    private func parseShort(
        _ argument: RawText, _ rest: inout ArraySlice<RawText>, _ parsed: inout ParsedArguments
    ) throws(UsageError) {
        var letters = argument.bytes.dropFirst()
        while let letter = letters.popFirst() {
            let character = Character(UnicodeScalar(letter))
            guard let option = options.first(where: { $0.short == character }) else {
                // A byte of a longer character means nothing by itself.
                let name = letter < 0x80 ? "-\(character)" : argument.text
                throw UsageError("There is no option \(printable(name)) here.")
            }
            guard option.value != nil else {
                parsed.add(option, "")
                continue
            }
            if !letters.isEmpty { return parsed.add(option, RawText(Array(letters))) }
            return parsed.add(option, try next(&rest, for: "-\(character)"))
        }
    }

    private func next(_ rest: inout ArraySlice<RawText>, for option: String) throws(UsageError) -> RawText {
        guard let value = rest.popFirst() else { throw UsageError("The option \(option) needs a value.") }
        return value
    }
}
