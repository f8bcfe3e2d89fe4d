// SPDX-License-Identifier: MIT
public import WICore

/// Where a loader keeps the beginnings of bodies that were cut off or cancelled, to ask for their rest another time.
///
/// A beginning is kept where the server gave a strong `ETag` and a length and the body was not compressed, and only of
/// requests that carry no secret (`Authorization`, cookies, fields of their own). It is continued with `Range` and
/// `If-Range`: where the picture has changed, it is loaded anew.
public struct PartialDownloads: Hashable, Sendable {
    /// The folder, which is made when needed, with mode 0700; it should hold nothing else.
    ///
    /// It is used only where it belongs to the process's user, who alone may write to it.
    public var folder: String
    /// Bytes of all beginnings together; the oldest go first. Default 64 MiB.
    public var capacity = ByteCount.mebibytes(64)
    /// Beginnings at most. Default 256.
    public var countLimit = 256
    /// Shorter ones are not worth the trouble. Default 64 KiB.
    public var smallest = ByteCount.kibibytes(64)
    /// How long one is kept. Default a day.
    public var ageLimit = Duration.seconds(86_400)

    /// The defaults, in a folder of one's own.
    public init(folder: String) { self.folder = folder }

    /// Removes all beginnings; returns when they are gone.
    public func removeAll() { PartialStore(self, time: .system).removeAll() }
}
