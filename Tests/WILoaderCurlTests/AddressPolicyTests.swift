// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WICore
import WITestKit

@testable import WILoaderCurl

#if canImport(Glibc)
    import Glibc
#endif

/// Which addresses are reached, whatever name leads there.
@Suite(.timeLimit(.minutes(5))) struct AddressPolicyTests {
    /// The first and the last address of every special range, and their neighbours that are none.
    static let kinds: [(String, AddressKind)] = [
        ("0.0.0.0", .unspecified), ("0.255.255.255", .unspecified), ("1.0.0.0", .global),
        ("9.255.255.255", .global),
        ("10.0.0.0", .privateUse), ("10.255.255.255", .privateUse), ("11.0.0.0", .global),
        ("100.63.255.255", .global), ("100.64.0.0", .shared), ("100.127.255.255", .shared),
        ("100.128.0.0", .global), ("126.255.255.255", .global), ("127.0.0.1", .loopback),
        ("127.255.255.255", .loopback), ("128.0.0.0", .global), ("169.253.255.255", .global),
        ("169.254.169.254", .linkLocal), ("169.255.0.0", .global), ("172.15.255.255", .global),
        ("172.16.0.0", .privateUse), ("172.31.255.255", .privateUse), ("172.32.0.0", .global),
        ("192.0.0.255", .reserved), ("192.0.1.0", .global), ("192.0.2.1", .documentation),
        ("192.0.3.0", .global), ("192.88.99.1", .reserved), ("192.167.255.255", .global),
        ("192.168.0.0", .privateUse), ("192.168.255.255", .privateUse), ("192.169.0.0", .global),
        ("198.17.255.255", .global), ("198.18.0.0", .benchmarking), ("198.19.255.255", .benchmarking),
        ("198.20.0.0", .global), ("198.51.100.7", .documentation), ("203.0.113.255", .documentation),
        ("223.255.255.255", .global), ("224.0.0.1", .multicast), ("239.255.255.255", .multicast),
        ("240.0.0.0", .reserved), ("255.255.255.254", .reserved), ("255.255.255.255", .broadcast),
        ("::", .unspecified), ("::1", .loopback), ("64:ff9b:1::1", .privateUse), ("100::1", .reserved),
        ("1fff:ffff::", .reserved), ("2000::", .global), ("2001:1::1", .reserved),
        ("2001:2::1", .benchmarking),
        ("2001:20::1", .reserved), ("2001:1ff:ffff::", .reserved), ("2001:200::", .global),
        ("2001:db8::1", .documentation), ("2001:db9::", .global), ("3fff:fff::1", .documentation),
        ("3fff:1000::", .global), ("4000::", .reserved), ("5f00::1", .reserved), ("fbff::", .reserved),
        ("fc00::", .privateUse), ("fdff:ffff::1", .privateUse), ("fe00::", .reserved),
        ("fe80::1", .linkLocal),
        ("febf::1", .linkLocal), ("fec0::1", .privateUse), ("feff::1", .privateUse), ("ff02::1", .multicast),
    ]

    @Test(arguments: kinds) func everySpecialRangeIsKnown(_ text: String, _ kind: AddressKind) throws {
        let address = try #require(IPAddress(text))
        #expect(AddressKind.all(of: address) == [kind])
        #expect(AddressPolicy.publicOnly.allows(text) == (kind == .global))
        #expect(AddressPolicy.unrestricted.allows(text))
        #expect(AddressPolicy(refusing: [kind]).allows(text) == false)
    }

    @Test(arguments: [
        "::ffff:127.0.0.1", "::127.0.0.1", "::ffff:0:10.0.0.1", "64:ff9b::169.254.169.254", "2002:7f00:1::",
        "2002:c0a8:101::1", "2001:0:7f00:1::", "2001::80ff:fffe", "2001:0:4136:e378:8000:63bf:f5ff:fffe",
        "2a00::5efe:10.0.0.1", "2a00::200:5efe:192.168.0.1", "::2", "::ffff:0.0.0.0",
    ])
    func anAddressHiddenInAnotherIsSeen(_ text: String) {
        #expect(!AddressPolicy.publicOnly.allows(text))
    }

    @Test(arguments: ["::ffff:93.184.215.14", "64:ff9b::5db8:d70e", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"])
    func whatIsPublicStaysSo(_ text: String) {
        #expect(AddressPolicy.publicOnly.allows(text))
    }

    @Test func exceptionsAndRefusedRangesGoBeforeKinds() throws {
        var policy = AddressPolicy.publicOnly
        policy.exceptions = [try AddressRange("10.1.0.0/16"), try AddressRange("fd00:1::/33")]
        policy.refusedRanges = [try AddressRange("10.1.2.0/25"), try AddressRange("8.8.8.8")]
        for (text, allowed) in [
            ("10.1.0.1", true), ("10.1.255.255", true), ("10.2.0.0", false), ("10.1.2.127", false),
            ("10.1.2.128", true), ("fd00:1:7fff::", true), ("fd00:1:8000::", false), ("8.8.8.8", false),
            ("8.8.4.4", true), ("::ffff:8.8.8.8", false), ("no address", false), ("", false),
        ] { #expect(policy.allows(text) == allowed, "\(text)") }
        for text in ["", "10.0.0.0/33", "10.0.0.0/-1", "fd00::/129", "a/8", "10.0.0.0/8/8", "10.0.0/8"] {
            let error = #expect(throws: ImageError.self) { try AddressRange(text) }
            #expect(error?.code == .invalidArgument)
        }
    }

    private func fixture(except: [String] = []) throws -> LoaderFixture {
        let exceptions = try except.map { text in try AddressRange(text) }
        return try LoaderFixture {
            $0.addressPolicy = AddressPolicy.publicOnly
            $0.addressPolicy.exceptions = exceptions
        }
    }

    @Test(arguments: ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "2130706433", "0x7f.1", "127.1", "0"])
    func noSpellingLeadsToThisMachine(_ host: String) async throws {
        let fixture = try fixture()
        fixture.server.on("/a", .ok(fixture.picture))
        let error = await fixture.failure(of: "http://\(host):\(fixture.server.port)/a")
        #expect(error?.code == .addressRefused)
        #expect(error?.isRetryable == false)
        #expect(fixture.server.connectionCount == 0)
    }

    @Test func aRedirectIsJudgedLikeTheFirstRequest() async throws {
        let fixture = try fixture(except: ["127.0.0.1"])
        let server = fixture.server
        server.on("/a", .ok(fixture.picture))
        _ = try await fixture.body("/a")
        for target in ["http://127.0.0.2:\(server.port)/a", "http://[::1]:\(server.port)/a"] {
            server.on("/away", .redirect(to: target))
            #expect(await fixture.failure("/away")?.code == .addressRefused)
        }
        #expect(server.count("/a") == 1)
    }

    @Test func aConnectionIsJudgedAgainBeforeEachRequest() throws {
        var configuration = CurlLoaderConfiguration()
        configuration.addressPolicy = .publicOnly
        let request = LoadRequest(url: try #require(URL(string: "http://a.example/")))
        let hop = try Hop(request.url, RequestFields(for: request, configuration), configuration)
        for (address, allowed) in [("8.8.8.8", true), ("::1", false), ("10.0.0.1", false)] {
            let engine = CurlEngine(configuration, .system, { 0 })
            let transfer = CurlTransfer(
                1, request, hop, BodySink(), engine, TransferObservers(nil), now: .zero)
            #expect(transfer.maySend(to: IPAddress(address)) == allowed)
            #expect((transfer.refusal?.code == .addressRefused) == !allowed)
        }
    }

    #if os(Linux)
        @Test func aProxyOfTheEnvironmentIsNotUsedUnderAPolicy() async {
            await #expect(processExitsWith: .success) {
                setenv("http_proxy", "http://127.0.0.1:1", 1)
                unsetenv("no_proxy")
                unsetenv("NO_PROXY")
                let plain = try LoaderFixture()
                plain.server.on("/a", .ok(plain.picture))
                #expect(await plain.failure("/a")?.code == .network)
                let exception = try AddressRange("127.0.0.1")
                let fixture = try LoaderFixture {
                    $0.addressPolicy = AddressPolicy(refusing: [.loopback], except: [exception])
                }
                fixture.server.on("/a", .ok(fixture.picture))
                #expect(try await fixture.body("/a").data.count == fixture.picture.count)
            }
        }
    #endif
}
