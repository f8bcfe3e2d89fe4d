// SPDX-License-Identifier: MIT

/// The one owner of a block of pixel memory; the block goes back to the pool with it.
///
/// `@unchecked Sendable`: written only through the noncopyable `MutablePixels` that made it, before it is shared.
final class PixelStorage: @unchecked Sendable {
    /// The bytes in use; the block may be longer.
    let bytes: UnsafeMutableRawBufferPointer
    private let block: MemoryBlock

    private init(block: MemoryBlock, count: Int) {
        self.block = block
        bytes = UnsafeMutableRawBufferPointer(start: block.address, count: count)
    }

    deinit { BlockPool.pixels.give(block) }

    static func allocate(_ count: Int) throws(ImageError) -> PixelStorage {
        guard let block = BlockPool.pixels.take(count) else {
            throw ImageError(
                .outOfMemory, stage: .decode, "There is no memory for \(ByteCount(count)) of pixels.")
        }
        return PixelStorage(block: block, count: count)
    }
}
