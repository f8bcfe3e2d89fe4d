// SPDX-License-Identifier: MIT
import Testing
import WITestKit

@testable import WICore

@Suite(.timeLimit(.minutes(5))) struct DecodeMemoryTests {
    private let coder = ToyCoder()

    /// A toy of 4 x 3 takes 48 bytes.
    private func manager(_ memory: ByteCount) -> ImageManager {
        var configuration = ImageManagerConfiguration()
        configuration.decodeMemory = memory
        return ImageManager(
            cache: DictionaryCache(), loader: GatedLoader(isOpen: true), coder: coder,
            configuration: configuration)
    }

    @Test func aDecodeThatTakesAllThereIsRuns() async throws {
        let image = try await manager(48).image(for: ImageRequest(data: ToyCoder.file())).image
        #expect(image.size == PixelSize(width: 4, height: 3))
    }

    @Test func aDecodeThatAloneTakesMoreIsRefusedAndTheErrorNamesBothNumbers() async {
        let manager = manager(47)
        for _ in 0..<2 {
            let error = await #expect(throws: ImageError.self) {
                try await manager.image(for: ImageRequest(data: ToyCoder.file()))
            }
            #expect(error?.code == .memoryLimit && error?.stage == .decode)
            let text = error?.message ?? ""
            #expect(text.contains("48 bytes") && text.contains("47 bytes") && text.contains("decodeMemory"))
        }
        #expect(coder.decodeCount == 0)
    }

    @Test func whatIsOverTheBudgetForAnotherReasonIsSaidAsThat() async {
        let request = ImageRequest(
            data: ToyCoder.file(), context: ImageContext { $0[.decodeOptions] = options(pixels: 11) })
        let error = await #expect(throws: ImageError.self) { try await manager(1).image(for: request) }
        #expect(error?.code == .dimensionLimit)
    }

    private func options(pixels: Int) -> DecodeOptions {
        var options = DecodeOptions()
        options.limits.pixels = pixels
        return options
    }
}
