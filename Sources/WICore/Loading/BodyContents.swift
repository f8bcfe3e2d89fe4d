// SPDX-License-Identifier: MIT
internal import FoundationEssentials

/// A body as it grows, in one piece: in memory, or in a file where it is large and the sink has a folder for such.
struct BodyContents: Sendable {
    private var region: BodyRegion?
    private(set) var count = 0
    private let files: BodyFiles?
    /// The bytes as they were handed out; nothing is added any more.
    private var handedOut: Data?

    init(_ files: BodyFiles?) { self.files = files }

    /// Whether its bytes are the disk's and take no memory from others.
    var isInFile: Bool { region?.isFile ?? false }

    /// Bytes that there is room for.
    var capacity: Int { region?.capacity ?? 0 }

    /// Makes room for `more` bytes; false when there is no memory.
    ///
    /// A stated length is a promise: memory is taken as bytes keep it, so that a liar costs little.
    mutating func makeRoom(for more: Int, expected: Int?) -> Bool {
        let needed = count + more
        guard needed > capacity else { return true }
        let step = expected == nil ? max(16 << 10, capacity * 2) : max(1 << 20, capacity * 4)
        let capacity = max(needed, min(step, expected ?? .max))
        if let files, max(needed, expected ?? 0) > files.threshold.bytes,
            let file = BodyRegion(capacity: capacity, in: files.folder)
        {
            move(to: file)
        } else if let region, !region.isFile {
            return region.grow(to: capacity, keeping: count)
        } else if let memory = BodyRegion(capacity: capacity) {
            move(to: memory)
        } else {
            return false
        }
        return true
    }

    private mutating func move(to larger: BodyRegion) {
        if let region { larger.start.copyMemory(from: region.start, byteCount: count) }
        region = larger
    }

    /// Adds bytes that there is room for.
    mutating func append(_ bytes: RawSpan) {
        guard let region else { return }
        bytes.withUnsafeBytes { source in
            UnsafeMutableRawBufferPointer(start: region.start + count, count: source.count)
                .copyMemory(from: source)
        }
        count += bytes.byteCount
    }

    /// Shows all bytes so far; they stay where they are meanwhile.
    func withBytes<Result, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard let region else { return try body(RawSpan()) }
        defer { withExtendedLifetime(region) {} }
        return try body(RawSpan(_unsafeStart: region.start, byteCount: count))
    }

    /// A copy of what came after the first `offset` bytes.
    func copy(from offset: Int) -> Data {
        guard let region, offset < count else { return Data() }
        return Data(bytes: region.start + offset, count: count - offset)
    }

    /// All bytes, without a copy; the region goes with them.
    mutating func handOut() -> Data {
        if let handedOut { return handedOut }
        guard let region, count > 0 else { return Data() }
        let data = Data(
            bytesNoCopy: region.start, count: count,
            deallocator: .custom { _, _ in withExtendedLifetime(region) {} })
        handedOut = data
        return data
    }
}
