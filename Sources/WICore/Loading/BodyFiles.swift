// SPDX-License-Identifier: MIT

/// Where large bodies lie while they arrive and are worked on, instead of in memory: for originals of many megabytes.
///
/// Such a body is in a file without a name, which the system removes with its last use, also when the process is killed.
/// What the loader hands on is a `Data` that maps the file. The thread of the loader writes into it, and waits where the
/// disk is slow; where no file can be made, the body is kept in memory as others are.
public struct BodyFiles: Hashable, Sendable {
    /// A folder on a disk, which is made when needed, with mode 0700.
    public var folder: String
    /// Bodies that say they are longer, or turn out to be, are in a file. Default 8 MiB.
    public var threshold = ByteCount.mebibytes(8)

    /// The defaults, in a folder.
    public init(folder: String) { self.folder = folder }
}
