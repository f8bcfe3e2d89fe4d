// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import WebImage

/// `webimage demo`: the whole package at work, with a server of its own.
struct DemoCommand: Command {
    static let specification = CommandSpecification(
        "demo", usage: ["[-o FILE] [--json]"],
        summary: "Load pictures from a server inside the program, and draw what became of them.",
        options: [
            OptionSpecification(
                "output", short: "o", value: "FILE",
                "Write the contact sheet to this file; demo.png if not given."),
            .json,
        ],
        notes: [
            "The samples are drawn and encoded by the package, served on loopback, some of them slowly or not at all, "
                + "and loaded by URL: from the network, from memory, and from disk by a second manager. The cache lies "
                + "in a temporary folder that is removed at the end."
        ])

    private let output: RawText
    private let printsJSON: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        guard arguments.operands.isEmpty else { throw UsageError("demo takes no operand.") }
        output = arguments.value("output") ?? "demo.png"
        guard !output.isEmpty else { throw UsageError("--output needs a name.") }
        guard !output.isStandardStream else {
            throw UsageError("demo writes its contact sheet to a file; standard output has its report.")
        }
        printsJSON = arguments.isSet("json")
    }

    func run(_ console: Console) -> ExitStatus {
        do throws(ImageError) {
            try OutputFile.check(output)
        } catch {
            console.complain(output.text, error)
            return .failure
        }
        let (output, printsJSON) = (output, printsJSON)
        waitFor { await runDemo(console, output: output, printsJSON: printsJSON) }
        return console.didFail ? .failure : .success
    }
}

/// Runs the demo and tells what is wrong, if anything is.
func runDemo(
    _ console: Console, output: RawText, samples: [DemoSample] = DemoSample.all, printsJSON: Bool = false
) async {
    let name = "webimage-demo-\(String(UInt64.random(in: .min ... .max), radix: 36))"
    let folder = FileManager.default.temporaryDirectory.appending(path: name).path
    Leftovers.shared.noting(RawText(folder)) {}
    defer {
        try? FileManager.default.removeItem(atPath: folder)
        Leftovers.shared.forget(RawText(folder))
    }
    do {
        try await DemoRun(
            console, output: output, folder: folder, samples: samples, printsJSON: printsJSON
        ).run()
    } catch {
        console.complain("demo", .wrapping(error, as: .pluginFailed, stage: .load))
    }
}
