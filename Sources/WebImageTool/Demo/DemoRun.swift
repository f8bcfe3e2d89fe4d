// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import WITestKit
internal import WebImage

/// The demo from beginning to end: serve, load, load again, draw.
struct DemoRun: Sendable {
    let console: Console
    let output: RawText
    /// Where the cache lies.
    let folder: String
    let samples: [DemoSample]
    let printsJSON: Bool
    private let time = TimeSource.system

    init(
        _ console: Console, output: RawText, folder: String, samples: [DemoSample] = DemoSample.all,
        printsJSON: Bool = false
    ) {
        self.console = console
        self.output = output
        self.folder = folder
        self.samples = samples
        self.printsJSON = printsJSON
    }

    func run() async throws {
        let server = try ScriptedServer()
        defer { server.stop() }
        try await prepare(server)

        let manager = Defaults.manager(cacheDirectory: folder, usesCache: true)
        let network = await round("network", samples, manager, server, tells: true)
        let loaded = network.outcomes.filter { $0.kind != .failed }.map(\.sample)
        let memory = await round("memory", loaded, manager, server)
        await manager.shutdown()

        let second = Defaults.manager(cacheDirectory: folder, usesCache: true)
        let disk = await round("disk", loaded, second, server)
        await second.shutdown()

        let summary = DemoSummary(rounds: [network, disk, memory], server)
        let size = try await write(network.outcomes, summary)
        if printsJSON { console.print(summary.json(output, size)) }
        say("")
        for line in summary.lines { say(line) }
        say("\(printable(output.text)): the contact sheet, \(size) pixels.")
        judge(network.outcomes, again: [memory, disk])
    }

    /// Draws and encodes every sample, each on a thread of its own, and puts it on the server.
    private func prepare(_ server: ScriptedServer) async throws {
        let begin = time.monotonic()
        try await withThrowingTaskGroup(of: [(path: String, script: Script)].self) { group in
            for sample in samples { group.addTask { try await onOwnThread { try sample.scripts() } } }
            for try await scripts in group {
                for (path, script) in scripts { server.on(path, script) }
            }
        }
        say(
            "Drew and encoded the samples in \(readable(time.monotonic() - begin)); serving them at \(server.baseURL)."
        )
    }

    /// Loads the samples all at once.
    private func round(
        _ name: String, _ samples: [DemoSample], _ manager: ImageManager, _ server: ScriptedServer,
        tells: Bool = false
    ) async -> DemoRound {
        let requests = server.requests.count
        let progress = tells && console.showsProgress ? ProgressLine(count: samples.count, console) : nil
        let prepared = samples.map { manager.prepare($0.request(server, box: ContactSheet.thumbnail)) }
        let begin = time.monotonic()
        let outcomes = await withTaskGroup(of: (Int, DemoOutcome).self) { group in
            for (index, sample) in samples.enumerated() {
                group.addTask { (index, await load(index, sample, prepared[index], manager, progress)) }
            }
            var outcomes: [(Int, DemoOutcome)] = []
            for await (index, outcome) in group {
                if tells { tell(outcome) }
                outcomes.append((index, outcome))
            }
            return outcomes.sorted { $0.0 < $1.0 }.map(\.1)
        }
        let duration = time.monotonic() - begin
        progress?.end()
        return DemoRound(
            name: name, outcomes: outcomes, duration: duration, requests: server.requests.count - requests)
    }

    private func load(
        _ index: Int, _ sample: DemoSample, _ request: ImageRequest, _ manager: ImageManager,
        _ progress: ProgressLine?
    ) async -> DemoOutcome {
        let begin = time.monotonic()
        var result: Result<ImageResult, ImageError>
        if let progress {
            result = await follow(manager.task(for: request), index, progress)
        } else {
            do throws(ImageError) {
                result = .success(try await manager.image(for: request))
            } catch {
                result = .failure(error)
            }
        }
        return DemoOutcome(sample: sample, result: result, duration: time.monotonic() - begin)
    }

    private func follow(
        _ task: ImageTask, _ index: Int, _ progress: ProgressLine
    ) async -> Result<ImageResult, ImageError> {
        for await event in task.events {
            if case .progress(let received, let expected) = event {
                progress.update(index, received: received, expected: expected)
            }
        }
        progress.finish(index)
        do throws(ImageError) {
            return .success(try await task.result())
        } catch {
            return .failure(error)
        }
    }
}

extension DemoRun {
    private func say(_ line: String) {
        if !printsJSON { console.print(line) }
    }

    private func write(_ outcomes: [DemoOutcome], _ summary: DemoSummary) async throws -> PixelSize {
        let output = output
        return try await onOwnThread {
            let sheet = try ContactSheet(outcomes: outcomes, summary: summary).draw()
            var options = EncodeOptions()
            options[PNGEncoding.self].level = 7
            let image = DecodedImage(pixels: sheet, format: .png)
            try OutputFile.write(
                try Defaults.coders().encode(image, as: .png, options, WorkContext()), to: output)
            return sheet.size
        }
    }

    private func tell(_ outcome: DemoOutcome) {
        let mark =
            switch outcome.kind {
            case .whole: "ok    "
            case .partial: "part  "
            case .failed: "failed"
            }
        let detail = outcome.error?.message ?? outcome.summary
        say(
            "  \(mark)  \(padded(outcome.sample.name, 12))  \(padded(outcome.milliseconds, -7))  \(printable(detail))"
        )
    }

    /// A demo that does not show what it is meant to show has failed.
    private func judge(_ outcomes: [DemoOutcome], again rounds: [DemoRound]) {
        for outcome in outcomes where outcome.kind != outcome.sample.expected {
            console.complain(
                outcome.sample.name,
                outcome.error
                    ?? ImageError(
                        .pluginFailed, stage: .load, "The demo expected another end of this request."))
        }
        for round in rounds {
            for case (let outcome, let error?) in round.outcomes.map({ ($0, $0.error) }) {
                console.complain(outcome.sample.name, error)
            }
            if round.requests > 0 {
                console.complain(
                    round.name,
                    ImageError(
                        .cacheMiss, stage: .query, "The server was asked for what the cache should have had.")
                )
            }
        }
    }
}

/// The text with spaces up to this width; on its left where the width is negative.
func padded(_ text: String, _ width: Int) -> String {
    let spaces = String(repeating: " ", count: max(0, abs(width) - text.count))
    return width < 0 ? spaces + text : text + spaces
}
