// SPDX-License-Identifier: MIT
import FoundationEssentials
import Glibc
import Testing
import WebImage

@testable import WebImageTool

@Suite struct ToolFileTests {
    private let runner: ToolRunner

    init() throws { runner = try ToolRunner() }

    private func raw(_ name: String) -> RawText { RawText(runner.path(name)) }

    private var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: runner.folder)) ?? []).sorted()
    }

    private func mode(_ name: String) -> mode_t {
        var status = stat()
        return lstat(runner.path(name), &status) == 0 ? status.st_mode : 0
    }

    @Test func aWrittenFileReplacesTheOldOneAndKeepsItsRights() throws {
        try OutputFile.write(Data("old".utf8), to: raw("a"))
        chmod(runner.path("a"), 0o640)
        try OutputFile.write(Data("new".utf8), to: raw("a"))
        #expect(try InputFile.contents(of: raw("a")) == Data("new".utf8))
        #expect(mode("a") & 0o777 == 0o640)
        #expect(names == ["a"])
    }

    @Test func aLinkIsFollowed() throws {
        try OutputFile.write(Data("old".utf8), to: raw("target"))
        symlink("target", runner.path("link"))
        try OutputFile.write(Data("new".utf8), to: raw("link"))
        #expect(try InputFile.contents(of: raw("target")) == Data("new".utf8))
        #expect(mode("link") & S_IFMT == S_IFLNK)
    }

    @Test func aLinkToAFileThatIsNotThereMakesThatFile() throws {
        mkdir(runner.path("folder"), 0o700)
        symlink("folder/second", runner.path("first"))
        symlink(runner.path("target"), runner.path("folder/second"))
        try OutputFile.write(Data("new".utf8), to: raw("first"))
        #expect(try InputFile.contents(of: raw("target")) == Data("new".utf8))
        #expect(mode("first") & S_IFMT == S_IFLNK && mode("folder/second") & S_IFMT == S_IFLNK)
        symlink("nowhere/a", runner.path("lost"))
        symlink("circle", runner.path("circle"))
        for name in ["lost", "circle"] {
            #expect(throws: ImageError.self) { try OutputFile.write(Data("x".utf8), to: raw(name)) }
            #expect(mode(name) & S_IFMT == S_IFLNK)
        }
    }

    @Test func aReadOnlyFileIsNotReplaced() throws {
        try OutputFile.write(Data("old".utf8), to: raw("a"))
        symlink("a", runner.path("link"))
        chmod(runner.path("a"), 0o444)
        for name in ["a", "link"] {
            let error = #expect(throws: ImageError.self) {
                try OutputFile.write(Data("new".utf8), to: raw(name))
            }
            #expect(error?.code == .fileAccess)
            #expect(
                error?.message.contains("\(runner.path(name)) is there already and may not be written")
                    == true)
        }
        #expect(try InputFile.contents(of: raw("a")) == Data("old".utf8))
        #expect(names == ["a", "link"])
    }

    @Test func aDeviceIsWrittenToAndNotReplaced() throws {
        try OutputFile.write(Data("x".utf8), to: "/dev/null")
        var status = stat()
        stat("/dev/null", &status)
        #expect(status.st_mode & S_IFMT == S_IFCHR)
    }

    @Test func whatCannotBeWrittenIsKnownBeforehand() throws {
        mkdir(runner.path("dir"), 0o700)
        try OutputFile.write(Data("x".utf8), to: raw("locked"))
        chmod(runner.path("locked"), 0o400)
        for name in ["dir", "missing/a", "locked", "locked/a", String(repeating: "n", count: 300)] {
            #expect(throws: ImageError.self, "\(name)") { try OutputFile.check(raw(name)) }
        }
        for path in [raw("a"), raw("dir/a"), "/dev/null", "a"] { try OutputFile.check(path) }
        #expect(names == ["dir", "locked"])
    }

    @Test func aFailedWriteLeavesTheOldFileAndNothingElse() throws {
        mkdir(runner.path("dir"), 0o700)
        #expect(throws: ImageError.self) { try OutputFile.write(Data("x".utf8), to: raw("dir")) }
        #expect(throws: ImageError.self) { try OutputFile.write(Data("x".utf8), to: raw("missing/a")) }
        let long = String(repeating: "n", count: 300)
        #expect(throws: ImageError.self) { try OutputFile.write(Data("x".utf8), to: raw(long)) }
        #expect(names == ["dir"])
    }

    @Test func theErrorNamesTheFileAndTheReason() {
        #expect {
            try InputFile.contents(of: raw("missing"))
        } throws: { error in
            guard let error = error as? ImageError else { return false }
            return error.code == .fileNotFound
                && error.message == "\(runner.path("missing")) cannot be opened: No such file or directory."
        }
        #expect { try InputFile.contents(of: RawText(runner.folder)) } throws: {
            ($0 as? ImageError)?.code == .fileAccess
        }
    }

    @Test func aNameThatIsNoUTF8CanBeWrittenAndRead() throws {
        let path = RawText(Array(runner.path("bad").utf8) + [0xFF, 0xFE])
        try OutputFile.write(Data("x".utf8), to: path)
        #expect(try InputFile.contents(of: path) == Data("x".utf8))
    }

    @Test(arguments: [0, 1, 65_535, 65_536, 65_537, 200_000])
    func everyLengthIsReadWhole(count: Int) throws {
        let data = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        try OutputFile.write(data, to: raw("a"))
        #expect(try InputFile.contents(of: raw("a")) == data)
    }

    @Test func foldersAreMadeWithThoseAboveThem() throws {
        try makeDirectories(raw("a/b//c/"))
        #expect(isDirectory(raw("a/b/c")))
        try OutputFile.write(Data(), to: raw("file"))
        #expect(throws: ImageError.self) { try makeDirectories(raw("file")) }
        #expect(throws: ImageError.self) { try makeDirectories(raw("file/x")) }
    }
}
