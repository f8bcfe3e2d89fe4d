// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WITestKit
import WebImage

#if os(Linux)
    import Glibc

    /// Many requests of every kind through all real parts, in a process of their own: nobody else opens files there.
    private struct Crowd {
        let server: ScriptedServer
        let folder: TemporaryFolder
        private static let paths = 40

        init() throws {
            server = try ScriptedServer()
            folder = try TemporaryFolder()
            for number in 0..<Self.paths { server.on("/\(number).pam", .ok(pam(20 + number, 20))) }
            server.on("/cut.pam", Script.ok(pam(30, 30)).truncated(after: 100))
            server.on("/page", .ok(Array("<html>".utf8)))
            try Data(pam(9, 9)).write(to: URL(filePath: folder.path + "/local.pam"))
        }

        static func openFiles() -> Int { (0..<1024).count { fcntl($0, F_GETFD) != -1 } }

        /// Runs `count` requests through a manager of their own, which is gone afterwards; gives the pictures, unless they live.
        func run(_ count: Int, seed: UInt64) async -> [WeakPicture] {
            var disk = DiskCacheConfiguration(root: folder.path + "/cache")
            disk.byteLimit = .kibibytes(64)
            disk.sweepsInBackground = false
            let manager = ImageManager.standard(memory: .init(cost: .kibibytes(64)), disk: disk)
            var random = SeededGenerator(seed: seed)
            var seen: [WeakPicture] = []
            for _ in 0..<count / 50 {
                let tasks = (0..<50).map { _ in manager.task(for: request(&random)) }
                for task in tasks where Int.random(in: 0..<4, using: &random) == 0 { task.cancel() }
                for task in tasks {
                    if let result = try? await task.result(), let picture = WeakPicture(result.image) {
                        seen.append(picture)
                    }
                }
            }
            await manager.shutdown()
            return seen
        }

        private func request(_ random: inout SeededGenerator) -> ImageRequest {
            let options: [ImageOptions] = [
                [], .fromLoaderOnly, .refreshCached, .retryFailed, .waitStoreCache, .progressiveLoad,
                .queryMemoryData, .fromCacheOnly,
            ]
            let option = options[Int.random(in: 0..<options.count, using: &random)]
            var context = ImageContext()
            if Bool.random(using: &random) { context[.thumbnailSize] = PixelSize(width: 5, height: 5) }
            switch Int.random(in: 0..<20, using: &random) {
            case 0: return ImageRequest(data: Data(pam(3, 3)), options: option, context: context)
            case 1: return ImageRequest(file: folder.path + "/local.pam", options: option, context: context)
            case 2: return ImageRequest(server.baseURL + "/cut.pam", options: option, context: context)
            case 3: return ImageRequest(server.baseURL + "/page", options: option, context: context)
            case 4: return ImageRequest(server.baseURL + "/missing", options: option, context: context)
            case 5: return ImageRequest("nonsense", options: option, context: context)
            default:
                let number = Int.random(in: 0..<Self.paths, using: &random)
                return ImageRequest("\(server.baseURL)/\(number).pam", options: option, context: context)
            }
        }
    }

    @Suite(.timeLimit(.minutes(10))) struct ManagerLeakTests {
        @Test func tenThousandMixedRequestsLeaveNoFileOpenAndNoPictureAlive() async {
            await #expect(processExitsWith: .success) {
                let crowd = try Crowd()
                // The first time, libraries open what they keep.
                _ = await crowd.run(200, seed: 1)
                let before = Crowd.openFiles()
                let pictures = await crowd.run(10_000, seed: 2)
                precondition(pictures.count > 3000, "Only \(pictures.count) requests succeeded.")
                // The server closes its side a moment later, and the last job lets go of its picture.
                while Crowd.openFiles() > before || pictures.contains(where: \.isAlive) {
                    await Task.yield()
                }
            }
        }
    }
#endif
