// SPDX-License-Identifier: MIT
import FoundationEssentials
import Glibc
import Testing
import WICore
import WITestKit

@testable import WICache

/// Folders that somebody else has prepared, or can change.
@Suite struct FolderTrustTests {
    private let folder: TemporaryFolder
    private let cache: DiskCache
    private let key = CacheKey("http://host/a.png")
    private let bytes = Data("picture".utf8)

    init() throws {
        folder = try TemporaryFolder()
        cache = DiskCache(configuration: DiskCacheConfiguration(root: folder.path + "/root"))
    }

    private var root: String { folder.path + "/root" }

    private func make(_ path: String, _ rights: mode_t = 0o700) {
        mkdir(path, 0o700)
        chmod(path, rights)
    }

    private func store() throws { try cache.store(bytes, metadata: EntryMetadata(storedAt: 0), for: key) }

    private func expectRefusal(_ reason: String) {
        let written = #expect(throws: ImageError.self) { try store() }
        #expect(written?.code == .cacheWrite && written?.message.contains(reason) == true)
        let read = #expect(throws: ImageError.self) { try cache.entry(for: key) }
        #expect(read?.code == .cacheRead && read?.message.contains(reason) == true)
        #expect(throws: ImageError.self) { try cache.clear() }
        #expect(throws: ImageError.self) { try cache.remove(key) }
        #expect(throws: ImageError.self) { try cache.checkFolder() }
        #expect(!cache.contains(key))
    }

    @Test(arguments: [0o777, 0o702]) func aRootThatEverybodyMayWriteToIsNotUsed(rights: mode_t) throws {
        make(root, rights)
        expectRefusal("“\(root)” may be written by everybody")
        chmod(root, 0o700)
        try store()
        #expect(try cache.entry(for: key)?.data == bytes)
    }

    @Test(arguments: [0o777, 0o720, 0o702]) func aNamespaceThatOthersMayWriteToIsNotUsed(rights: mode_t)
        throws
    {
        make(root)
        make(root + "/default", rights)
        expectRefusal("“\(root)/default” may be written by others")
        chmod(root + "/default", 0o700)
        make(root + "/default/v1", rights)
        expectRefusal("“\(root)/default/v1” may be written by others")
    }

    @Test func aRootLikeTheSystemsTemporaryFolderIsUsed() throws {
        make(root, 0o1777)
        try store()
        #expect(try cache.entry(for: key)?.data == bytes)
    }

    @Test func aRootMayBeALinkAndNothingInItMay() throws {
        make(folder.path + "/disk")
        make(folder.path + "/disk/default")
        make(folder.path + "/victim")
        make(folder.path + "/victim/00")
        _ = FileManager.default.createFile(atPath: folder.path + "/victim/00/file", contents: Data())
        symlink("disk", root)
        symlink(folder.path + "/victim", root + "/default/v1")
        expectRefusal("“\(root)/default/v1” is no folder")
        #expect(FileManager.default.fileExists(atPath: folder.path + "/victim/00/file"))
        unlink(root + "/default/v1")
        try store()
        // A shard that is a link: nothing behind it is listed or removed.
        rmdir(root + "/default/v1/00")
        symlink(folder.path + "/victim/00", root + "/default/v1/00")
        try? cache.clear()
        #expect(FileManager.default.fileExists(atPath: folder.path + "/victim/00/file"))
    }

    @Test func whereAnEntryShouldBeALinkIsAMissAndGoes() throws {
        try store()
        let place = cache.layout.place(of: key).path
        try FileManager.default.moveItem(atPath: place, toPath: folder.path + "/victim")
        symlink(folder.path + "/victim", place)
        #expect(try cache.entry(for: key) == nil)
        #expect((try? LocalFileSystem().status(place)) == nil)
        #expect(FileManager.default.fileExists(atPath: folder.path + "/victim"))
    }

    @Test func aLinkInPlaceOfTheTotalsIsNotWrittenThrough() throws {
        make(root)
        make(root + "/default")
        let victim = folder.path + "/victim"
        _ = FileManager.default.createFile(atPath: victim, contents: Data("keep".utf8))
        symlink(victim, cache.layout.totalsPath)
        try store()
        #expect(try Data(contentsOf: URL(filePath: victim)) == Data("keep".utf8))
        #expect(try cache.entry(for: key)?.data == bytes)
    }

    @Test func foldersOfAnotherUserAreNotUsed() throws {
        make(root)
        let other = FolderTrust(LocalFileSystem(), user: geteuid() + 1)
        #expect(other.objection(to: cache.layout)?.reason == "belongs to another user")
        chmod(root, 0o1777)
        make(root + "/default")
        let objection = other.objection(to: cache.layout)
        // A sticky folder of a third user's protects from nobody but the two.
        #expect(objection?.folder == (geteuid() == 0 ? root + "/default" : root))
        #expect(objection?.reason == "belongs to another user")
    }

    @Test func aRootThatIsAFileIsNoFolder() {
        _ = FileManager.default.createFile(atPath: root, contents: Data())
        expectRefusal("“\(root)” is no folder")
    }

    @Test func withoutAHomeTheFolderIsTheUsersOwn() {
        #expect(DiskCacheConfiguration.userFolder { ["HOME": "/h"][$0] } == "/h/.cache/webimage")
        #expect(
            DiskCacheConfiguration.userFolder { ["HOME": "/h", "XDG_CACHE_HOME": "/x"][$0] } == "/x/webimage")
        for home in [nil, "", "relative"] {
            #expect(
                DiskCacheConfiguration.userFolder { $0 == "HOME" ? home : nil }
                    == "/tmp/webimage-\(geteuid())")
        }
    }
}
