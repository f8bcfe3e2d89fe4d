// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WICore
import WITestKit

@testable import WILoaderCurl

#if os(Linux)
    /// Certificates, against a server of openssl's.
    @Suite(.timeLimit(.minutes(5)), .enabled("openssl is not installed") { TLSServer.program != nil })
    struct CertificateTests {
        private let picture = [UInt8](repeating: 9, count: 20_000)

        private func load(
            _ server: TLSServer, _ loader: CurlLoader, host: String = "localhost", unchecked: Bool = false
        ) async throws -> Data {
            var request = LoadRequest(
                url: try #require(URL(string: "https://\(host):\(server.port)/picture")))
            request.allowsInvalidCertificates = unchecked
            let sink = BodySink()
            _ = try await loader.load(request, into: sink)
            return try sink.finish()
        }

        @Test func aCertificateThatNobodyTrustsIsRefusedAlsoAfterARequestThatTookIt() async throws {
            let server = try await TLSServer.start(serving: picture)
            let loader = CurlLoader(configuration: .patient)
            for _ in 0..<2 {
                let error = await #expect(throws: ImageError.self) { _ = try await load(server, loader) }
                #expect(error?.code == .tls)
                #expect(error?.isRetryable == false)
                #expect([UInt8](try await load(server, loader, unchecked: true)) == picture)
            }
        }

        @Test func theConfigurationsAuthorityIsTrustedForTheNamesInTheCertificate() async throws {
            let server = try await TLSServer.start(serving: picture)
            var configuration = CurlLoaderConfiguration.patient
            configuration.certificateFile = server.certificate
            let loader = CurlLoader(configuration: configuration)
            #expect([UInt8](try await load(server, loader)) == picture)
            let error = await #expect(throws: ImageError.self) {
                _ = try await load(server, loader, host: "127.0.0.1")
            }
            #expect(error?.code == .tls)
        }

        @Test func anAuthorityThatCannotBeReadIsATLSError() async throws {
            let server = try await TLSServer.start(serving: picture)
            var configuration = CurlLoaderConfiguration.patient
            configuration.certificateFile = "/nowhere/cert.pem"
            let error = await #expect(throws: ImageError.self) {
                _ = try await load(server, CurlLoader(configuration: configuration))
            }
            #expect(error?.code == .tls)
        }
    }
#endif
