// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import WebImage

/// One run of `load`: some requests at a time, results in the order of the URLs.
struct LoadSession: Sendable {
    /// Requests under way at once; each may hold a decoded picture.
    private static let width = 8

    private let wish: LoadWish
    private let console: Console
    private let manager: ImageManager
    private let writer: LoadedImageWriter
    private let previews: PreviewWriter?
    private let progress: ProgressLine?
    private let delegate: CacheFailureNotes

    init(_ wish: LoadWish, _ console: Console) {
        self.wish = wish
        self.console = console
        manager = Defaults.manager(
            cacheDirectory: wish.cacheDirectory, usesCache: wish.usesCache,
            loader: wish.network.configuration(console))
        let stems = OutputNames.stems(for: wish.urls)
        writer = LoadedImageWriter(wish: wish, stems: stems)
        previews = wish.previews.map { PreviewWriter(folder: $0, stems: stems) }
        progress = console.showsProgress ? ProgressLine(count: wish.urls.count, console) : nil
        delegate = CacheFailureNotes(console)
        manager.setDelegate(delegate)
    }

    /// Loads everything, tells every result, and ends when all is stored.
    func run() async {
        var report = LoadReport(wish, console)
        await withTaskGroup(of: (Int, LoadOutcome).self) { group in
            var next = 0
            while next < min(Self.width, wish.urls.count) {
                start(&next, &group)
            }
            for await (index, outcome) in group {
                report.add(index, outcome)
                if next < wish.urls.count { start(&next, &group) }
            }
        }
        progress?.end()
        report.end()
        await manager.shutdown()
    }

    private func start(_ next: inout Int, _ group: inout TaskGroup<(Int, LoadOutcome)>) {
        let index = next
        next += 1
        group.addTask {
            guard let timeout = wish.network.timeout else { return (index, await load(index)) }
            return (index, await TimeLimit(duration: timeout).run { await load(index) })
        }
    }

    private func load(_ index: Int) async -> LoadOutcome {
        let time = TimeSource.system
        let began = time.monotonic()
        let task = manager.task(for: ImageRequest(wish.urls[index], context: wish.context))
        defer { progress?.finish(index) }
        do throws(ImageError) {
            try await follow(task, index)
            let result = try await task.result()
            let written = try await writer.write(result, index)
            return .success(
                LoadedImage(
                    origin: result.origin, size: result.image.size,
                    isPartial: result.image.metadata.isPartial,
                    written: written, duration: time.monotonic() - began))
        } catch {
            return .failure(error)
        }
    }
}

extension LoadSession {
    /// Shows what happens until the end, where somebody wants to see it.
    private func follow(_ task: ImageTask, _ index: Int) async throws(ImageError) {
        guard progress != nil || previews != nil else { return }
        var number = 0
        for await event in task.events {
            switch event {
            case .progress(let received, let expected):
                progress?.update(index, received: received, expected: expected)
            case .preview(let preview):
                number += 1
                try await previews?.write(preview, index, number: number)
            case .cached, .finished: break
            }
        }
    }
}

typealias LoadOutcome = Result<LoadedImage, ImageError>

/// What became of one URL.
struct LoadedImage: Sendable {
    let origin: ImageResult.Origin
    let size: PixelSize
    let isPartial: Bool
    let written: WrittenImage
    let duration: Duration
}

/// Says, once for each sentence, that the cache failed while the loads go on.
private final class CacheFailureNotes: ImageManagerDelegate {
    private let console: Console
    private let said = Locked(Set<String>())

    init(_ console: Console) { self.console = console }

    func imageManager(_ manager: ImageManager, cacheDidFail error: ImageError, for request: ImageRequest) {
        var error = error
        error.url = nil
        let text = error.description
        if said.withLock({ $0.insert(text).inserted }) { console.note("cache: \(text)") }
    }
}
