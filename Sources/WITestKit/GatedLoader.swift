// SPDX-License-Identifier: MIT
package import FoundationEssentials
package import WICore

/// A loader whose answers are set by URL, and which holds every load at a gate.
package final class GatedLoader: ImageLoading {
    package enum Answer: Sendable {
        case bytes(Data)
        /// An HTTP answer with these fields; 304 where its `ETag` is the one asked with.
        case http(Data, HTTPHeaders)
        case chunks([Data])
        case image(DecodedImage)
        case failure(ImageError)
        /// Throws something that is no ``ImageError``.
        case foreignFailure
    }
    package struct ForeignError: Error {}

    private struct State: Sendable {
        var answers: [String: Answer] = [:]
        var loads: [LoadRequest] = []
        var cancelled = 0
        var priorities: [LoadPriority] = []
    }
    private let state = Locked(State())
    package let gate: Gate

    package init(isOpen: Bool = true) { gate = Gate(isOpen: isOpen) }

    package func answer(_ url: String, _ answer: Answer) { state.withLock { $0.answers[url] = answer } }
    /// What it was asked for, without the requests' contexts.
    package var loads: [LoadRequest] { state.withLock { $0.loads } }
    package var cancelledCount: Int { state.withLock { $0.cancelled } }
    package var priorities: [LoadPriority] { state.withLock { $0.priorities } }

    package func canLoad(_ request: LoadRequest) -> Bool { request.url.scheme == "http" }

    package func load(_ request: LoadRequest, into body: BodySink) async throws -> LoadResult {
        // Its context may hold this loader: kept with it, the two would keep each other.
        var noted = request
        noted.context = ImageContext()
        let answer = state.withLock { [noted] state in
            state.loads.append(noted)
            return state.answers[request.url.absoluteString]
        }
        await gate.pass()
        if Task.isCancelled {
            state.withLock { $0.cancelled += 1 }
            throw CancellationError()
        }
        switch answer {
        case .bytes(let data)?: return .data(data, ResponseHead(headers: ["ETag": "\"1\""]))
        case .http(let data, let headers)?:
            if let tag = headers["ETag"], tag == request.validators.entityTag {
                return .notModified(ResponseHead(status: 304, headers: headers))
            }
            return .data(data, ResponseHead(status: 200, headers: headers))
        case .chunks(let chunks)?:
            try body.begin(ResponseHead(status: 200))
            for chunk in chunks { try await body.append(chunk) }
            return .streamed
        case .image(let image)?: return .image(image)
        case .failure(let error)?: throw error
        case .foreignFailure?: throw ForeignError()
        case nil:
            throw ImageError(
                .httpStatus, stage: .load, "The server answers 404.", url: request.url, httpStatus: 404)
        }
    }

    package func setPriority(_ priority: LoadPriority, of body: BodySink) {
        state.withLock { $0.priorities.append(priority) }
    }
}
