// SPDX-License-Identifier: MIT
public import FoundationEssentials
public import WICore

/// What every coder has to do, whatever its format; checked on files that it encodes itself and on those given.
///
///     let violations = CoderConformance(QOICoder(), isLossless: true).violations()
///     #expect(violations.isEmpty)
///
/// It needs no test library: what is broken is told in sentences.
public struct CoderConformance {
    let coder: any ImageCoder
    let files: [Data]
    let isLossless: Bool

    /// Checks for `coder`.
    ///
    /// - Parameters:
    ///   - files: whole and sound files, small ones, since each is decoded some hundred times; a coder that does not
    ///     encode needs them.
    ///   - isLossless: whether encoding keeps every pixel that is not wholly transparent exactly.
    public init(_ coder: any ImageCoder, files: [Data] = [], isLossless: Bool = false) {
        self.coder = coder
        self.files = files
        self.isLossless = isLossless
    }

    /// A sentence for each rule that is broken; empty where none is. Takes seconds, and blocks the thread.
    public func violations() -> [String] {
        var findings = Findings()
        if coder.decodableFormats.isEmpty { findings.add("The coder names no format that it decodes.") }
        let given = files.enumerated().map { (name: "File \($0.offset)", data: $0.element) }
        let known = checkEncoding(&findings) + given
        if known.isEmpty { findings.add("There is nothing to decode: give files.") }
        for file in known {
            findings.subject = file.name
            DecodingChecks(coder, file.data).run(&findings)
        }
        return findings.sentences
    }
}

/// What was found, each sentence once.
struct Findings {
    private(set) var sentences: [String] = []
    /// What is being looked at; the sentences begin with it.
    var subject = ""

    mutating func add(_ sentence: String) {
        let whole = subject.isEmpty ? sentence : "\(subject): \(sentence)"
        if !sentences.contains(whole) { sentences.append(whole) }
    }

    mutating func expect(_ condition: Bool, _ sentence: @autoclosure () -> String) {
        if !condition { add(sentence()) }
    }

    /// What `body` gives; a finding where it throws.
    mutating func value<Value>(_ action: String, _ body: () throws -> Value) -> Value? {
        do {
            return try body()
        } catch {
            add("\(action) throws: \(error)")
            return nil
        }
    }

    /// A finding where `body` does not throw an error with one of the codes.
    mutating func expectError(
        _ action: String, _ codes: Set<ImageError.Code>, _ body: () throws -> Void
    ) {
        do {
            try body()
            add(
                "\(action) throws nothing; expected is \(codes.map(\.rawValue).sorted().joined(separator: " or "))."
            )
        } catch let error as ImageError {
            expect(codes.contains(error.code), "\(action) throws \(error.code.rawValue): \(error)")
        } catch is CancellationError where codes.contains(.cancelled) {
            return
        } catch {
            add("\(action) throws what is no ImageError: \(error)")
        }
    }
}
