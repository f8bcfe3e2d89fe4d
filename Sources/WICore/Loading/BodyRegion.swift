// SPDX-License-Identifier: MIT
internal import RuntimeShim

/// The memory that a body lies in; it goes back to where it came from with its last holder.
///
/// `@unchecked Sendable`: written only by the sink that made it, under the sink's lock, and never again once a `Data` has it.
final class BodyRegion: @unchecked Sendable {
    private enum Origin {
        case pool, file
    }

    private var block: MemoryBlock
    private let origin: Origin

    /// Memory of at least `capacity` bytes; nil when there is none.
    init?(capacity: Int) {
        guard let block = BlockPool.bodies.take(capacity) else { return nil }
        self.block = block
        origin = .pool
    }

    /// A file of at least `capacity` bytes; nil where none can be made.
    init?(capacity: Int, in folder: String) {
        try? LocalFileSystem().makeFolder(folder)
        guard let address = wi_file_memory(folder, capacity) else { return nil }
        block = MemoryBlock(address: address, capacity: capacity)
        origin = .file
    }

    deinit {
        switch origin {
        case .pool: BlockPool.bodies.give(block)
        case .file: wi_file_memory_free(block.address, block.capacity)
        }
    }

    /// Moves the first `used` bytes to a place with more room; false, and nothing moved, where it cannot.
    func grow(to capacity: Int, keeping used: Int) -> Bool {
        guard !isFile, let longer = BlockPool.bodies.grow(block, to: capacity, keeping: used) else {
            return false
        }
        block = longer
        return true
    }

    var start: UnsafeMutableRawPointer { block.address }
    var capacity: Int { block.capacity }
    var isFile: Bool { origin == .file }
}
