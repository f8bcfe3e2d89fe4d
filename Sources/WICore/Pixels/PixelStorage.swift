// SPDX-License-Identifier: MIT
internal import RuntimeShim

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The one owner of a block of pixel memory; the block goes back to the pool with it.
///
/// `@unchecked Sendable`: written only through the noncopyable `MutablePixels` that made it, before it is shared.
final class PixelStorage: @unchecked Sendable {
    /// The bytes in use; the block may be longer.
    let bytes: UnsafeMutableRawBufferPointer
    private let block: PixelBlock

    private init(block: PixelBlock, count: Int) {
        self.block = block
        bytes = UnsafeMutableRawBufferPointer(start: block.address, count: count)
    }

    deinit { PixelBlockPool.shared.give(block) }

    static func allocate(_ count: Int) throws(ImageError) -> PixelStorage {
        guard let block = PixelBlockPool.shared.take(count) else {
            throw ImageError(
                .outOfMemory, stage: .decode, "There is no memory for \(ByteCount(count)) of pixels.")
        }
        return PixelStorage(block: block, count: count)
    }
}

/// A block from the system. `@unchecked Sendable`: one holder at a time, the storage or the pool.
struct PixelBlock: @unchecked Sendable {
    let address: UnsafeMutableRawPointer
    let capacity: Int
}

/// Keeps a few freed large blocks: a fresh one costs as much in page faults as a decode into it.
///
/// Bounded by count and by bytes; small blocks go straight back to the allocator, which is good at them.
final class PixelBlockPool: Sendable {
    static let shared = PixelBlockPool()
    /// Blocks from this size on are kept.
    static let smallest = 1 << 20
    /// All kept blocks together.
    static let capacity = 64 << 20
    private static let mostBlocks = 4

    private struct State: Sendable {
        var blocks: [PixelBlock] = []
        var bytes = 0
    }
    private let state = Locked(State())

    /// A block of at least `count` bytes: a kept one that is not much too large, or a new one.
    func take(_ count: Int) -> PixelBlock? {
        if count >= Self.smallest, let kept = keptBlock(count) { return kept }
        guard let address = wi_pixels_allocate(max(count, 1)) else { return nil }
        return PixelBlock(address: address, capacity: max(count, 1))
    }

    private func keptBlock(_ count: Int) -> PixelBlock? {
        state.withLock { state in
            var best: Int?
            for (index, block) in state.blocks.enumerated()
            where block.capacity >= count && block.capacity / 2 <= count {
                if let found = best, state.blocks[found].capacity <= block.capacity { continue }
                best = index
            }
            guard let best else { return nil }
            let block = state.blocks.remove(at: best)
            state.bytes -= block.capacity
            return block
        }
    }

    /// Takes a block back, and frees what no longer has room.
    func give(_ block: PixelBlock) {
        guard block.capacity >= Self.smallest, block.capacity <= Self.capacity else {
            free(block.address)
            return
        }
        let dropped = state.withLock { state -> [PixelBlock] in
            state.blocks.append(block)
            state.bytes += block.capacity
            var dropped: [PixelBlock] = []
            while state.bytes > Self.capacity || state.blocks.count > Self.mostBlocks {
                let oldest = state.blocks.removeFirst()
                state.bytes -= oldest.capacity
                dropped.append(oldest)
            }
            return dropped
        }
        for block in dropped { free(block.address) }
    }

    /// Frees every kept block: what a program calls when memory is short.
    func drain() {
        let blocks = state.withLock { state -> [PixelBlock] in
            defer { state = State() }
            return state.blocks
        }
        for block in blocks { free(block.address) }
    }
}
