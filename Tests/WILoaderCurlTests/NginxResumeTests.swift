// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WICore
import WITestKit

@testable import WILoaderCurl

#if os(Linux)
    /// Downloads that are left anywhere and continued, against a server that people use.
    @Suite(
        .enabled("nginx and openssl are not both installed") { NginxServer.isPresent },
        .timeLimit(.minutes(5)))
    struct NginxResumeTests {
        private let folder: TemporaryFolder
        private let picture = [UInt8]((0..<2_000_000).map { UInt8(truncatingIfNeeded: ($0 &* $0) >> 7) })

        init() throws { folder = try TemporaryFolder() }

        /// What went over the network, transfer by transfer.
        private final class Traffic: Sendable {
            let received = Locked<[Int]>([])

            func note(_ event: TransferEvent) {
                guard case .stopped(let metrics, _) = event.kind else { return }
                received.withLock { $0.append(metrics.receivedBytes) }
            }
        }

        private func makeLoader(_ traffic: Traffic, _ certificate: String) -> CurlLoader {
            var configuration = CurlLoaderConfiguration.patient
            configuration.certificateFile = certificate
            configuration.partialDownloads = PartialDownloads(folder: folder.path + "/partial")
            configuration.partialDownloads?.smallest = 1
            configuration.observer = traffic.note
            return CurlLoader(configuration: configuration)
        }

        /// Loads until so many bytes are there, then leaves.
        private func leave(_ url: URL, _ loader: CurlLoader, after count: Int) async {
            let leaving = Locked<BodySink?>(nil)
            let sink = BodySink(
                url: nil, limit: .unlimited, budget: BodyBudget(capacity: .unlimited),
                judge: { (_, _) throws(ImageError) in true },
                onProgress: { received, _ in
                    if received >= count { leaving.withLock { $0 }?.cancel(.cancelled(.load)) }
                })
            leaving.withLock { $0 = sink }
            await #expect(throws: ImageError.self) {
                _ = try await loader.load(LoadRequest(url: url), into: sink)
            }
            leaving.withLock { $0 = nil }
        }

        private func body(_ url: URL, _ loader: CurlLoader) async throws -> [UInt8] {
            let sink = BodySink()
            _ = try await loader.load(LoadRequest(url: url), into: sink)
            return [UInt8](try sink.finish())
        }

        @Test(arguments: [false, true], 1...3)
        func aDownloadThatWasLeftAnywhereIsContinued(overHTTP2: Bool, seed: Int) async throws {
            let server = try await NginxServer.start(["a": picture])
            var random = SeededGenerator(seed: UInt64(seed))
            let place = Int.random(in: 1..<1_500_000, using: &random)
            let address =
                overHTTP2
                ? "https://localhost:\(server.tlsPort)/a" : "http://localhost:\(server.port)/a"
            let url = try #require(URL(string: address))
            let traffic = Traffic()
            await leave(url, makeLoader(traffic, server.certificate), after: place)
            // Another loader, as another process would have.
            let later = Traffic()
            #expect(try await body(url, makeLoader(later, server.certificate)) == picture)
            let (first, rest) = (traffic.received.withLock { $0 }, later.received.withLock { $0 })
            #expect(first.reduce(0, +) >= place)
            #expect(rest.count == 1)
            #expect(rest.reduce(0, +) <= picture.count - place)
        }

        @Test func aFileThatHasChangedIsLoadedAnew() async throws {
            let server = try await NginxServer.start(["a": picture])
            let url = try #require(URL(string: "http://localhost:\(server.port)/a"))
            let traffic = Traffic()
            let loader = makeLoader(traffic, server.certificate)
            await leave(url, loader, after: 300_000)
            let other = [UInt8](picture.reversed()) + [1]
            try server.replace("a", with: other)
            #expect(try await body(url, loader) == other)
            #expect(traffic.received.withLock { $0.last } == other.count)
        }
    }
#endif
