// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import WebImage

/// Tells what became of the URLs, in their order, each as soon as those before it are told.
struct LoadReport {
    private let wish: LoadWish
    private let console: Console
    private var waiting: [Int: LoadOutcome] = [:]
    private var next = 0
    private var objects: [JSONValue] = []

    init(_ wish: LoadWish, _ console: Console) {
        self.wish = wish
        self.console = console
    }

    mutating func add(_ index: Int, _ outcome: LoadOutcome) {
        waiting[index] = outcome
        while let outcome = waiting.removeValue(forKey: next) {
            tell(wish.urls[next], outcome)
            next += 1
        }
    }

    /// Prints what could not be printed before the end.
    func end() {
        if wish.printsJSON { console.print(.array(objects)) }
    }

    private mutating func tell(_ url: String, _ outcome: LoadOutcome) {
        // As it was typed, where it is no URL as it stands.
        let name =
            URL(string: url, encodingInvalidCharacters: false).map { redacted($0) } ?? redacted(url)
        switch outcome {
        case .failure(let error):
            console.complain(name, error)
            objects.append(.object([.init("url", .string(url)), .init("error", error.json)]))
        case .success(let loaded):
            if loaded.isPartial {
                console.note("\(name): The file is cut or damaged; part of the picture is missing.")
            }
            objects.append(json(url, loaded))
            guard !wish.printsJSON, wish.output != .standardOutput else { return }
            console.print(line(name, loaded))
        }
    }

    private func line(_ name: String, _ loaded: LoadedImage) -> String {
        let format = loaded.written.format.map { " \($0)" } ?? ""
        let bytes = loaded.written.byteCount.map { ", \(ByteCount($0))" } ?? ""
        let milliseconds = loaded.duration / .milliseconds(1)
        return printable(loaded.written.path?.text ?? name) + ": \(loaded.size)\(format)\(bytes), "
            + "from \(source(loaded.origin)) in \(fixedPoint(milliseconds, decimals: 1)) ms"
    }

    private func source(_ origin: ImageResult.Origin) -> String {
        switch origin {
        case .memory: "memory"
        case .disk: "the disk cache"
        case .shared: "the shared cache"
        case .loader: "the server"
        case .data: "the URL itself"
        case .file: "the file"
        }
    }

    private func json(_ url: String, _ loaded: LoadedImage) -> JSONValue {
        let written = loaded.written
        return .object(
            [.init("url", .string(url))]
                + (written.path.map { [.init("output", .string($0.text))] } ?? [])
                + (written.format.map { [.init("format", .string($0.name))] } ?? [])
                + [
                    .init("width", .integer(loaded.size.width)),
                    .init("height", .integer(loaded.size.height)),
                ]
                + (written.byteCount.map { [.init("bytes", .integer($0))] } ?? [])
                + [
                    .init("origin", .string(loaded.origin.rawValue)),
                    .init("isPartial", .bool(loaded.isPartial)),
                    .init("milliseconds", .integer(Int((loaded.duration / .milliseconds(1)).rounded()))),
                ])
    }
}
