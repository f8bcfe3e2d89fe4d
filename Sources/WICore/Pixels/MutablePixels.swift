// SPDX-License-Identifier: MIT

/// Pixels that are being written by their one owner. ``publish()`` ends that and gives the shared ``PixelBuffer``.
public struct MutablePixels: ~Copyable, Sendable {
    /// Pixels in a row.
    public let width: Int
    /// Rows.
    public let height: Int
    /// Bytes from the start of one row to the start of the next.
    public let bytesPerRow: Int
    /// How one pixel lies in memory.
    public let format: PixelFormat
    /// What the alpha channel will mean.
    public var alphaMode: AlphaMode
    private let storage: PixelStorage

    /// Tightly packed pixels, all bytes zero.
    ///
    /// - Throws: ``ImageError`` with code `invalidArgument` when a side is not positive, `dimensionLimit` when the
    ///   size does not fit the address space, `outOfMemory` when the system has no memory for it.
    public init(
        width: Int, height: Int, format: PixelFormat = .rgba8, alphaMode: AlphaMode = .straight
    ) throws(ImageError) {
        let storage = try PixelStorage.allocate(try Self.byteCount(width, height, format))
        self.init(width, height, format, alphaMode, storage)
        _ = storage.bytes.initializeMemory(as: UInt8.self, repeating: 0)
    }

    /// As `init(width:height:format:alphaMode:)`, but the bytes hold whatever was there: the caller writes them all.
    package init(
        uninitialized width: Int, height: Int, format: PixelFormat = .rgba8, alphaMode: AlphaMode = .straight
    ) throws(ImageError) {
        let storage = try PixelStorage.allocate(try Self.byteCount(width, height, format))
        self.init(width, height, format, alphaMode, storage)
    }

    private init(
        _ width: Int, _ height: Int, _ format: PixelFormat, _ alphaMode: AlphaMode, _ storage: PixelStorage
    ) {
        self.width = width
        self.height = height
        self.bytesPerRow = width * format.bytesPerPixel
        self.format = format
        self.alphaMode = alphaMode
        self.storage = storage
    }

    private static func byteCount(_ width: Int, _ height: Int, _ format: PixelFormat) throws(ImageError)
        -> Int
    {
        guard width > 0, height > 0 else {
            throw ImageError(
                .invalidArgument, stage: .decode,
                "A picture needs a positive size; \(width)x\(height) was asked for.")
        }
        let total = ByteCount.saturating(width, height, format.bytesPerPixel)
        guard total.bytes < Int.max / 2 else {
            throw ImageError(
                .dimensionLimit, stage: .decode, "\(width)x\(height) pixels do not fit the address space.")
        }
        return total.bytes
    }

    /// Width × height.
    public var size: PixelSize { PixelSize(width: width, height: height) }

    /// Calls `body` with the bytes of all rows, top row first.
    public mutating func withMutableBytes<Result, Failure: Error>(
        _ body: (inout MutableRawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // Read out first: in an optimised build the compiler takes the span to outlive the borrow of the storage.
        let bytes = storage.bytes
        var span = MutableRawSpan(_unsafeBytes: bytes)
        return try body(&span)
    }

    /// The same as raw memory, for C functions.
    package mutating func withUnsafeMutableBytes<Result, Failure: Error>(
        _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(storage.bytes)
    }

    /// Ends the writing and gives the pixels out as an immutable buffer; no byte is copied.
    public consuming func publish() -> PixelBuffer {
        PixelBuffer(
            width: width, height: height, bytesPerRow: bytesPerRow, format: format, alphaMode: alphaMode,
            storage: storage)
    }
}
