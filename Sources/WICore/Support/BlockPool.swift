// SPDX-License-Identifier: MIT
internal import RuntimeShim

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A block of memory from the system. `@unchecked Sendable`: one holder at a time, its user or the pool.
struct MemoryBlock: @unchecked Sendable {
    let address: UnsafeMutableRawPointer
    let capacity: Int
}

/// Keeps a few freed large blocks: a fresh one costs as much in page faults as the work that fills it.
///
/// Bounded by count and by bytes; small blocks go straight back to the allocator, which is good at them.
final class BlockPool: Sendable {
    static let pixels = BlockPool(smallest: 1 << 20, capacity: 64 << 20, mostBlocks: 4)
    static let bodies = BlockPool(smallest: 128 << 10, capacity: 16 << 20, mostBlocks: 32)

    /// Blocks from this size on are kept.
    let smallest: Int
    /// All kept blocks together.
    let capacity: Int
    private let mostBlocks: Int

    private struct State: Sendable {
        var blocks: [MemoryBlock] = []
        var bytes = 0
    }
    private let state = Locked(State())

    init(smallest: Int, capacity: Int, mostBlocks: Int) {
        self.smallest = smallest
        self.capacity = capacity
        self.mostBlocks = mostBlocks
    }

    /// A block of at least `count` bytes: a kept one that is not much too large, or a new one.
    func take(_ count: Int) -> MemoryBlock? {
        if count >= smallest, let kept = keptBlock(count) { return kept }
        guard let address = wi_pixels_allocate(max(count, 1)) else { return nil }
        return MemoryBlock(address: address, capacity: max(count, 1))
    }

    /// A longer block that begins with the first `used` bytes of this one, which is gone then; nil, and the block as it was,
    /// when there is no memory.
    func grow(_ block: MemoryBlock, to count: Int, keeping used: Int) -> MemoryBlock? {
        if count >= smallest, let kept = keptBlock(count) {
            kept.address.copyMemory(from: block.address, byteCount: used)
            give(block)
            return kept
        }
        // The system moves the pages of a large block, so that it is never there twice.
        return realloc(block.address, count).map { MemoryBlock(address: $0, capacity: count) }
    }

    private func keptBlock(_ count: Int) -> MemoryBlock? {
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
    func give(_ block: MemoryBlock) {
        guard block.capacity >= smallest, block.capacity <= capacity else {
            free(block.address)
            return
        }
        let dropped = state.withLock { state -> [MemoryBlock] in
            state.blocks.append(block)
            state.bytes += block.capacity
            var dropped: [MemoryBlock] = []
            while state.bytes > capacity || state.blocks.count > mostBlocks {
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
        let blocks = state.withLock { state -> [MemoryBlock] in
            defer { state = State() }
            return state.blocks
        }
        for block in blocks { free(block.address) }
    }
}
