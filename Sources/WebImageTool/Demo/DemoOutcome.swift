// SPDX-License-Identifier: MIT
internal import WebImage

/// What became of one sample, and how long it took.
struct DemoOutcome: Sendable {
    let sample: DemoSample
    let result: Result<ImageResult, ImageError>
    let duration: Duration

    var kind: DemoSample.Kind {
        switch result {
        case .success(let result): result.image.metadata.isPartial ? .partial : .whole
        case .failure: .failed
        }
    }

    var image: DecodedImage? { try? result.get().image }

    var error: ImageError? {
        if case .failure(let error) = result { return error }
        return nil
    }

    /// In a few words: format and size, or the reason why there is none.
    var summary: String {
        switch result {
        case .success(let result):
            let image = result.image
            let name = image.format?.name.uppercased() ?? "?"
            let size = image.metadata.storedSize
            return "\(name) \(size.width) × \(size.height)"
        case .failure(let error):
            return error.httpStatus.map { "status \($0)" } ?? Self.words(error.code)
        }
    }

    private static func words(_ code: ImageError.Code) -> String {
        switch code {
        case .notAnImage: "not an image"
        case .timeout: "no answer in time"
        case .network: "connection lost"
        case .dimensionLimit: "over the size limit"
        default: code.rawValue
        }
    }

    var milliseconds: String { readable(duration) }
}

/// A time in milliseconds, or in microseconds where it is very short.
func readable(_ duration: Duration) -> String {
    let microseconds =
        Double(duration.components.seconds) * 1e6 + Double(duration.components.attoseconds) / 1e12
    switch microseconds {
    case ..<1000: return "\(fixedPoint(microseconds, decimals: 0)) µs"
    case ..<10_000: return "\(fixedPoint(microseconds / 1000, decimals: 1)) ms"
    default: return "\(fixedPoint(microseconds / 1000, decimals: 0)) ms"
    }
}
