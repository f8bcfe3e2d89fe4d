// SPDX-License-Identifier: MIT
import FoundationEssentials
import WITestKit

@testable import WICore

/// Paints every pixel with one byte.
struct Paint: Transformer {
    var value: UInt8
    var error: ImageError?
    var keyPart: KeyPart { KeyPart("paint", "\(value)") }

    func transform(_ pixels: PixelBuffer, _ work: borrowing WorkContext) throws -> PixelBuffer {
        if let error { throw error }
        var result = try MutablePixels(width: pixels.width, height: pixels.height)
        result.withUnsafeMutableBytes { bytes in
            for index in bytes.indices { bytes[index] = value }
        }
        return result.publish()
    }
}

/// A manager over a toy coder, a loader behind a gate, and a cache in a dictionary.
struct ManagerStage {
    let cache: DictionaryCache
    let loader: GatedLoader
    let coder: ToyCoder
    let manager: ImageManager
    let url = "http://host/a.toy"

    init(
        isOpen: Bool = true, storeGate: Gate? = nil, coder: ToyCoder = ToyCoder(),
        _ configure: (inout ImageManagerConfiguration) -> Void = { _ in }
    ) {
        cache = DictionaryCache(storeGate: storeGate)
        loader = GatedLoader(isOpen: isOpen)
        self.coder = coder
        loader.answer("http://host/a.toy", .bytes(ToyCoder.file()))
        var configuration = ImageManagerConfiguration()
        configure(&configuration)
        manager = ImageManager(cache: cache, loader: loader, coder: coder, configuration: configuration)
    }

    func pixel(_ result: ImageResult) -> UInt8 { result.image.pixels.withUnsafeBytes { $0[0] } }
}

final class NowBox: Sendable {
    private let box = Locked(Duration.zero)
    var value: Duration {
        get { box.withLock { $0 } }
        set { box.withLock { $0 = newValue } }
    }
}

final class RecordingDelegate: ImageManagerDelegate {
    private let recorded = Locked<[ImageError]>([])
    private let allows: Bool
    private let blockingTime: Duration?
    init(allows: Bool = true, blockingTime: Duration? = nil) {
        self.allows = allows
        self.blockingTime = blockingTime
    }
    var failures: [ImageError] { recorded.withLock { $0 } }

    func imageManager(_ manager: ImageManager, shouldLoad request: ImageRequest) -> Bool { allows }
    func imageManager(
        _ manager: ImageManager, blockingTimeFor url: URL, after error: ImageError
    ) -> Duration? { blockingTime }
    func imageManager(_ manager: ImageManager, cacheDidFail error: ImageError, for request: ImageRequest) {
        recorded.withLock { $0.append(error) }
    }
}
