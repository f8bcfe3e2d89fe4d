// SPDX-License-Identifier: MIT
import CustomLoader
import FoundationEssentials
import Testing
import WICore
import WITestKit

/// The example of a loader of one's own, at work under a manager.
@Suite struct ArchiveLoaderTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func loader(_ bytes: [UInt8]) throws -> ArchiveLoader {
        let path = folder.path + "/pictures.zip"
        try Data(bytes).write(to: URL(filePath: path))
        return try ArchiveLoader(path: path)
    }

    private func number(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    /// An archive of entries that are stored, or say that they are compressed.
    private func archive(_ files: [(name: String, data: Data)], method: Int = 0) -> [UInt8] {
        var (bytes, directory): ([UInt8], [UInt8]) = ([], [])
        for file in files {
            let name = Array(file.name.utf8)
            let common =
                number(method, 2) + number(0, 8) + number(file.data.count, 4) + number(file.data.count, 4)
                + number(name.count, 2)
            directory += number(0x0201_4B50, 4) + number(20, 2) + number(20, 2) + number(0, 2) + common
            directory += number(0, 12) + number(bytes.count, 4) + name
            bytes +=
                number(0x0403_4B50, 4) + number(20, 2) + number(0, 2) + common + number(3, 2) + name + [
                    1, 2, 3,
                ]
            bytes += file.data
        }
        return bytes + directory + number(0x0605_4B50, 4) + number(0, 4) + number(files.count, 2)
            + number(files.count, 2) + number(directory.count, 4) + number(bytes.count, 4) + number(0, 2)
    }

    /// A manager whose time stands still, so that what is remembered for a minute is remembered on any machine.
    private func manager(_ loader: ArchiveLoader) -> ImageManager {
        var configuration = ImageManagerConfiguration()
        configuration.time = TimeSource(secondsSince1970: { 0 }, monotonic: { .zero })
        return ImageManager(
            cache: DictionaryCache(), loader: LoadersManager([DataLoader(), loader]), coder: ToyCoder(),
            configuration: configuration)
    }

    @Test func picturesComeOutOfTheArchive() async throws {
        let files = [
            ("a.toy", ToyCoder.file(width: 5, height: 4)),
            ("cats/tom 1.toy", ToyCoder.file(width: 7, height: 2)),
        ]
        let manager = manager(try loader(archive(files)))
        #expect(
            try await manager.image(for: ImageRequest("zip:///a.toy")).image.size
                == PixelSize(width: 5, height: 4))
        let tom = try await manager.image(for: ImageRequest("zip:///cats/tom%201.toy"))
        #expect(tom.image.size == PixelSize(width: 7, height: 2))
        #expect(tom.origin == .loader)
        await manager.shutdown()
    }

    @Test func whatIsNotThereIsAnErrorThatIsRemembered() async throws {
        let manager = manager(try loader(archive([("a.toy", ToyCoder.file())])))
        let first = await #expect(throws: ImageError.self) {
            _ = try await manager.image(for: ImageRequest("zip:///b.toy"))
        }
        #expect(first?.code == .fileNotFound)
        let second = await #expect(throws: ImageError.self) {
            _ = try await manager.image(for: ImageRequest("zip:///b.toy"))
        }
        #expect(second?.code == .blocked)
        await manager.shutdown()
    }

    @Test func aCompressedEntryIsRefused() async throws {
        let loader = try loader(archive([("a.toy", ToyCoder.file())], method: 8))
        let url = try #require(URL(string: "zip:///a.toy"))
        let error = await #expect(throws: ImageError.self) {
            _ = try await loader.load(LoadRequest(url: url), into: BodySink())
        }
        #expect(error?.code == .unsupportedFeature)
    }

    @Test func aCutArchiveIsAnErrorAndNoCrash() async throws {
        let whole = archive([("a.toy", ToyCoder.file()), ("b.toy", ToyCoder.file())])
        let url = try #require(URL(string: "zip:///b.toy"))
        for count in 0..<whole.count {
            // What is missing at the beginning moves every offset.
            for bytes in [Array(whole.prefix(count)), Array(whole.suffix(count))] {
                await #expect(throws: ImageError.self) {
                    _ = try await loader(bytes).load(LoadRequest(url: url), into: BodySink())
                }
            }
        }
    }

    @Test func aLimitEndsTheLoadBeforeItsFirstByte() async throws {
        let loader = try loader(archive([("a.toy", ToyCoder.file())]))
        let url = try #require(URL(string: "zip:///a.toy"))
        let error = await #expect(throws: ImageError.self) {
            _ = try await loader.load(LoadRequest(url: url), into: BodySink(limit: 9))
        }
        #expect(error?.code == .bodyLimit)
    }
}
