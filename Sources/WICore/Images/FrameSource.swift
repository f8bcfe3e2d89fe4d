// SPDX-License-Identifier: MIT

/// One frame of an animation, as its file describes it.
public struct FrameInfo: Hashable, Sendable {
    /// How long the frame is shown, in milliseconds, as stored. Players lengthen what is under 11 ms to 100 ms.
    public var durationMilliseconds: Double

    /// A frame shown for that many milliseconds.
    public init(durationMilliseconds: Double) {
        self.durationMilliseconds = durationMilliseconds
    }
}

/// The frames of an animation. Decoding happens in readers, each with a canvas of its own.
public protocol FrameSource: Sendable {
    /// Width × height of every composited frame.
    var canvasSize: PixelSize { get }
    /// The frames in order; never empty.
    var frames: [FrameInfo] { get }
    /// How often the animation plays; 0 is for ever.
    var loopCount: Int { get }
    /// Bytes that the source keeps in memory.
    var memoryCost: ByteCount { get }

    /// A new cursor, independent of every other one.
    ///
    /// - Throws: when the frames cannot be opened.
    func makeReader() throws -> any FrameReader
}

/// A cursor over composited frames, used by one thread at a time.
public protocol FrameReader: AnyObject, Sendable {
    /// The composited canvas of frame `index`, counted from 0.
    ///
    /// Reading in order decodes each frame once; going back decodes again from the last frame that stands alone.
    /// - Throws: when `index` is outside the frames, or the frame cannot be decoded.
    func frame(at index: Int, _ work: borrowing WorkContext) throws -> PixelBuffer
}
