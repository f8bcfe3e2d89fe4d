// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WITestKit
import WebImage

@testable import WebImageTool

/// What the command line says about how URLs are loaded.
@Suite(.timeLimit(.minutes(5))) struct ToolNetworkTests {
    private let runner: ToolRunner
    private let server: ScriptedServer

    init() throws {
        runner = try ToolRunner()
        server = try ScriptedServer()
        server.on("/a.pam", .ok(pam(5, 3)))
    }

    private var url: String { server.baseURL + "/a.pam" }

    @Test(arguments: ["load", "info"]) func fieldsAndAUserAreSent(_ command: String) async throws {
        let outcome = try await runner.run(
            command, url, "-H", "X-Mine: a: b", "--header=X-Empty:", "--user", "me:p:w")
        #expect(outcome.status == 0)
        let request = try #require(server.requests.first)
        #expect(request.header("X-Mine") == "a: b")
        #expect(request.header("X-Empty") == "")
        #expect(request.header("Authorization") == "Basic bWU6cDp3")
    }

    @Test(arguments: ["load", "info"]) func whatIsFreshIsSaidToBoth(_ command: String) async throws {
        for options in [["--refresh"], ["--freshness", "http"], ["--freshness", "immutable"]] {
            #expect(try await runner.run([command, url] + options).status == 0)
        }
        #expect(try await runner.run(command, url, "--freshness", "often").status == 2)
    }

    @Test(arguments: ["load", "info"]) func privateAddressesAreRefusedWhereTheyShouldBe(
        _ command: String
    ) async throws {
        let outcome = try await runner.run(command, url, "--deny-private-addresses")
        #expect(outcome.status == 1)
        #expect(outcome.complaints.contains("127.0.0.1 may not be reached"))
        #expect(server.requests.isEmpty)
    }

    @Test(arguments: ["load", "info"]) func aBodyIsNoLongerThanItMayBe(_ command: String) async throws {
        let outcome = try await runner.run(command, url, "--max-bytes", "60")
        #expect(outcome.status == 1)
        #expect(outcome.complaints.contains("limit of 60 bytes"))
        #expect(try await runner.run(command, url, "--max-bytes", "1k").status == 0)
    }

    /// The server holds back the body behind the head: who wants it would wait for ever.
    @Test func infoLoadsNoMoreThanTheHead() async throws {
        server.on("/large.pam", Script.ok(pam(500, 300)).gated("the rest", afterBody: 200))
        let outcome = try await runner.run("info", server.baseURL + "/large.pam")
        #expect(outcome.status == 0)
        #expect(outcome.text.contains("500x300"))
        await server.waitForAbandonment("/large.pam")
    }

    @Test func retriesAreAsManyAsAskedFor() async throws {
        server.on("/down", .failure(503))
        _ = try await runner.run("load", server.baseURL + "/down", "--retries", "0")
        #expect(server.count("/down") == 1)
        let outcome = try await runner.run(
            "load", server.baseURL + "/down", "--retries", "1", "--priority", "low", "--verbose")
        #expect(server.count("/down") == 3)
        #expect(outcome.complaints.contains("again in "))
    }

    @Test func verboseTellsTheLifeOfATransferWithoutItsSecrets() async throws {
        server.on("/start", .redirect(to: "/a.pam?token=secret"))
        let outcome = try await runner.run("load", "-v", server.baseURL + "/start?token=secret")
        #expect(outcome.status == 0)
        let words = ["started", "redirected to ", "started", "status 200", "stopped: waited ", "finished"]
        #expect(outcome.sentences.count == words.count)
        for (sentence, word) in zip(outcome.sentences, words) { #expect(sentence.contains(word)) }
        #expect(!outcome.complaints.contains("secret"))
        #expect(outcome.complaints.contains("HTTP/1.1, 127.0.0.1"))
    }

    @Test(arguments: [
        ["--header", "nothing"], ["--header", ":x"], ["--user", "me"], ["--retries", "11"],
        ["--retries", "-1"],
        ["--max-bytes", "0"], ["--max-bytes", "K"], ["--max-bytes", "1T"], ["--max-bytes", "9999999999999G"],
        ["--priority", "urgent"],
    ])
    func whatMakesNoSenseIsRefused(_ arguments: [String]) async throws {
        let outcome = try await runner.run((["load", url] + arguments).map { RawText($0) })
        #expect(outcome.status == 2)
        #expect(outcome.complaints.contains("option \(arguments[0]) takes"))
        #expect(server.requests.isEmpty)
    }

    @Test func sizesHaveUnits() throws {
        let parser = ArgumentParser(options: NetworkWish.options)
        for (text, bytes) in [("1", 1), ("500K", 512_000), ("10m", 10 << 20), ("2G", 2 << 30)] {
            let parsed = try parser.parse(["--max-bytes", RawText(text)])
            #expect(try NetworkWish(parsed).bodyLimit == ByteCount(bytes))
        }
    }
}
