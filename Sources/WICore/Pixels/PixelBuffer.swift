// SPDX-License-Identifier: MIT

/// A block of pixels that no longer changes: shared freely between threads, freed with its last copy.
///
/// Rows run from top to bottom, pixels from left to right. It is made by filling a ``MutablePixels`` and publishing it.
public struct PixelBuffer: Sendable {
    /// Pixels in a row.
    public let width: Int
    /// Rows.
    public let height: Int
    /// Bytes from the start of one row to the start of the next: at least `width * format.bytesPerPixel`.
    public let bytesPerRow: Int
    /// How one pixel lies in memory.
    public let format: PixelFormat
    /// What its alpha channel means.
    public let alphaMode: AlphaMode
    let storage: PixelStorage

    /// Width × height.
    public var size: PixelSize { PixelSize(width: width, height: height) }

    /// Bytes that the rows take: `bytesPerRow * height`.
    public var byteCount: ByteCount { ByteCount(bytesPerRow * height) }

    /// Whether the rows follow each other without a gap.
    public var isTightlyPacked: Bool { bytesPerRow == width * format.bytesPerPixel }

    /// Calls `body` with the bytes of all rows, top row first.
    public func withBytes<Result, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(RawSpan(_unsafeBytes: UnsafeRawBufferPointer(storage.bytes)))
    }

    /// The same as raw memory, for C functions.
    package func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeRawBufferPointer(storage.bytes))
    }

    /// The same pixels with another word on what their alpha means; nothing is converted.
    package func relabelled(_ alphaMode: AlphaMode) -> PixelBuffer {
        PixelBuffer(
            width: width, height: height, bytesPerRow: bytesPerRow, format: format, alphaMode: alphaMode,
            storage: storage)
    }
}
