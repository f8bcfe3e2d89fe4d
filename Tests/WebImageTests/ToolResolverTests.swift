// SPDX-License-Identifier: MIT
import FoundationEssentials
import Glibc
import Testing
import WITestKit

private enum Compiler {
    static let path = ["/usr/bin/cc", "/usr/bin/gcc", "/usr/bin/clang"].first { (path: String) in
        access(path, X_OK) == 0
    }
}

/// A resolver that never answers, put before the system's own.
@Suite(
    .enabled("no C compiler is installed") { Compiler.path != nil }, .timeLimit(.minutes(5))
)
struct ToolResolverTests {
    private static let source = """
        #include <dlfcn.h>
        #include <netdb.h>
        #include <string.h>
        #include <unistd.h>
        int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **found) {
            if (node && strcmp(node, "slow.example") == 0)
                for (;;) pause();
            int (*next)(const char *, const char *, const struct addrinfo *, struct addrinfo **) =
                dlsym(RTLD_NEXT, "getaddrinfo");
            return next(node, service, hints, found);
        }

        """

    @Test func aNameThatIsNeverResolvedHoldsUpNeitherItsOwnLoadNorOthers() async throws {
        let runner = try ToolRunner()
        let server = try ScriptedServer()
        server.on("/a.pam", .ok(pam(5, 3)))
        try Data(Self.source.utf8).write(to: URL(filePath: runner.path("hang.c")))
        let library = runner.path("hang.so")
        let compiled = try await runner.run(
            ["-shared", "-fPIC", "-D_GNU_SOURCE", "-o", library, runner.path("hang.c"), "-ldl"],
            program: Compiler.path)
        try #require(compiled.status == 0, "\(compiled.complaints)")
        let outcome = try await runner.run(
            ["load", "http://slow.example/a", server.baseURL + "/a.pam", "--timeout", "1"],
            environment: ["LD_PRELOAD": library])
        #expect(outcome.status == 1)
        #expect(outcome.sentences.count == 1)
        #expect(outcome.complaints.contains("slow.example"))
        #expect(outcome.complaints.contains("not done after 1 s"))
        #expect(outcome.text.contains("5x3"))
    }
}
