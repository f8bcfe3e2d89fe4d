// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WICore
import WITestKit

@testable import WILoaderCurl

#if os(Linux)
    /// The loader against a server that people use.
    @Suite(
        .enabled("nginx and openssl are not both installed") { NginxServer.isPresent },
        .timeLimit(.minutes(5)))
    struct NginxTests {
        private let picture = [UInt8]((0..<200_000).map { UInt8(truncatingIfNeeded: ($0 * $0) >> 9) })

        private func load(
            _ url: String, _ loader: CurlLoader, _ change: (inout LoadRequest) -> Void = { _ in }
        ) async throws -> (data: Data, head: ResponseHead?) {
            var request = LoadRequest(url: try #require(URL(string: url)))
            change(&request)
            let sink = BodySink(limit: request.bodyLimit)
            _ = try await loader.load(request, into: sink)
            return (try sink.finish(), sink.head)
        }

        private func makeLoader(_ change: (inout CurlLoaderConfiguration) -> Void = { _ in }) -> CurlLoader {
            var configuration = CurlLoaderConfiguration.patient
            change(&configuration)
            return CurlLoader(configuration: configuration)
        }

        @Test func manyStreamsShareOneConnectionOfHTTP2() async throws {
            let server = try await NginxServer.start(["a": picture])
            let metrics = Locked<[TransferMetrics]>([])
            let loader = makeLoader {
                $0.certificateFile = server.certificate
                $0.maximumTransfersPerHost = 20
                $0.observer = { event in
                    if case .stopped(let own, _) = event.kind { metrics.withLock { $0.append(own) } }
                }
            }
            let url = "https://localhost:\(server.tlsPort)/a"
            let counts = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<60 { group.addTask { try await load(url, loader).data.count } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(counts == Array(repeating: picture.count, count: 60))
            let seen = metrics.withLock { $0 }
            #expect(seen.allSatisfy { $0.protocolVersion == "HTTP/2" })
            #expect(seen.filter { !$0.isConnectionReused }.count == 1)
            #expect(seen.contains { $0.handshake != nil })
            let (data, _) = try await load(url, loader)
            #expect([UInt8](data) == picture)
        }

        @Test func anUnchangedFileIsNotModified() async throws {
            let server = try await NginxServer.start(["a": picture])
            let loader = makeLoader()
            let url = "http://localhost:\(server.port)/a"
            let head = try await load(url, loader).head
            let tag = try #require(head?.headers["ETag"])
            let date = try #require(head?.headers["Last-Modified"])
            for validators in [Validators(entityTag: tag), Validators(lastModified: date)] {
                var request = LoadRequest(url: try #require(URL(string: url)))
                request.validators = validators
                guard case .notModified(let head) = try await loader.load(request, into: BodySink()) else {
                    Issue.record("The file was sent again.")
                    continue
                }
                #expect(head.headers["ETag"] == tag)
            }
            var request = LoadRequest(url: try #require(URL(string: url)))
            request.validators.entityTag = "\"other\""
            guard case .streamed = try await loader.load(request, into: BodySink()) else {
                Issue.record("The file was not sent.")
                return
            }
        }

        @Test func aCompressedFileArrivesPlain() async throws {
            let server = try await NginxServer.start(["a": picture])
            let (data, head) = try await load("http://localhost:\(server.port)/compressed/a", makeLoader())
            #expect([UInt8](data) == picture)
            #expect(head?.headers["Content-Encoding"] == "gzip")
            #expect(head?.expectedLength == nil)
        }

        @Test func aPasswordOpensWhatIsPrivate() async throws {
            let server = try await NginxServer.start(["a": picture])
            let url = "http://localhost:\(server.port)/private/a"
            let error = await #expect(throws: ImageError.self) { _ = try await load(url, makeLoader()) }
            #expect(error?.httpStatus == 401)
            let host = try HostPattern("localhost")
            let loader = makeLoader { $0.credentials = [.basic(user: "me", password: "secret", for: host)] }
            #expect(try await load(url, loader).data.count == picture.count)
        }

        @Test func connectionsThatTheServerEndsAreNoFailure() async throws {
            let server = try await NginxServer.start(["a": [1, 2, 3]])
            let loader = makeLoader()
            let url = "http://localhost:\(server.port)/a"
            for _ in 0..<23 { #expect(try await load(url, loader).data == Data([1, 2, 3])) }
        }

        @Test func aUnixSocketIsAWayToAServer() async throws {
            let server = try await NginxServer.start(["a": picture])
            let loader = makeLoader {
                $0.unixSocket = server.socket
                $0.addressPolicy = .unrestricted
            }
            let (data, _) = try await load("http://pictures.invalid/a", loader)
            #expect([UInt8](data) == picture)
        }

        @Test func aClientShowsItsCertificateToItsHost() async throws {
            let server = try await NginxServer.start(["a": picture])
            let url = "https://localhost:\(server.strictPort)/a"
            for (pattern, opens) in [("localhost", true), ("other.example", false)] {
                let hosts = try HostPattern(pattern)
                let loader = makeLoader {
                    $0.certificateFile = server.certificate
                    $0.clientCertificates = [
                        ClientCertificate(
                            certificateFile: server.certificate, keyFile: server.key, for: hosts)
                    ]
                }
                if opens {
                    #expect(try await load(url, loader).data.count == picture.count)
                } else {
                    let error = await #expect(throws: ImageError.self) { _ = try await load(url, loader) }
                    #expect(error?.httpStatus == 400)
                }
            }
        }

        @Test func aCertificateThatCannotBeReadIsATLSError() async throws {
            let server = try await NginxServer.start(["a": picture])
            let hosts = try HostPattern("*")
            let loader = makeLoader {
                $0.certificateFile = server.certificate
                $0.clientCertificates = [ClientCertificate(certificateFile: "/nowhere/cert.pem", for: hosts)]
            }
            let error = await #expect(throws: ImageError.self) {
                _ = try await load("https://localhost:\(server.strictPort)/a", loader)
            }
            #expect(error?.code == .tls)
        }
    }
#endif
