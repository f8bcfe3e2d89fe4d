// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WICore
import WITestKit

@testable import WILoaderCurl

/// A scripted server and a loader, with the calls that most tests make.
struct LoaderFixture: Sendable {
    let server: ScriptedServer
    let loader: CurlLoader
    /// 5,000 bytes that are no picture; nothing here looks at them.
    let picture = [UInt8]((0..<5000).map { UInt8(truncatingIfNeeded: $0) })

    init(
        clock: ManualClock? = nil, random: Double = 0.5,
        _ change: (inout CurlLoaderConfiguration) -> Void = { _ in }
    ) throws {
        server = try ScriptedServer()
        var configuration = CurlLoaderConfiguration.patient
        change(&configuration)
        let time = clock.map { clock in
            TimeSource(secondsSince1970: { 0 }, monotonic: { clock.now.offset })
        }
        loader = CurlLoader(configuration: configuration, time: time ?? .system, random: { random })
    }

    func request(_ path: String, _ change: (inout LoadRequest) -> Void = { _ in }) -> LoadRequest {
        var request = LoadRequest(url: server.url(path))
        change(&request)
        return request
    }

    func load(_ request: LoadRequest) async throws -> (data: Data, head: ResponseHead?) {
        let sink = BodySink(limit: request.bodyLimit)
        _ = try await loader.load(request, into: sink)
        return (try sink.finish(), sink.head)
    }

    func body(
        _ path: String, _ change: (inout LoadRequest) -> Void = { _ in }
    ) async throws -> (data: Data, head: ResponseHead?) {
        try await load(request(path, change))
    }

    func failure(
        _ path: String, _ change: (inout LoadRequest) -> Void = { _ in }
    ) async -> ImageError? {
        await #expect(throws: ImageError.self) { _ = try await body(path, change) }
    }

    func failure(of url: String) async -> ImageError? {
        guard let url = URL(string: url) else { return nil }
        return await #expect(throws: ImageError.self) { _ = try await load(LoadRequest(url: url)) }
    }
}

extension CurlLoaderConfiguration {
    /// For tests that are not about time or retries: a machine that is busy for some seconds is no fault of the loader.
    static var patient: CurlLoaderConfiguration {
        var configuration = CurlLoaderConfiguration()
        configuration.inactivityTimeout = .seconds(600)
        configuration.connectTimeout = .seconds(600)
        configuration.retryPolicy = .none
        return configuration
    }
}
