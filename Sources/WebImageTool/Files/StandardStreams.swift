// SPDX-License-Identifier: MIT

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The three descriptors that a process is started with, or not.
enum StandardStreams {
    /// Gives those that are closed to `/dev/null`, so that no file or connection is opened under their numbers and takes what
    /// is meant for a terminal.
    ///
    /// Each is opened the wrong way round: reading input or writing results fails, and is not silently nothing.
    static func fillGaps() {
        for descriptor in Int32(0)...2 where fcntl(descriptor, F_GETFD) < 0 && errno == EBADF {
            // The lowest free number is the one that is missing.
            _ = open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY)
        }
    }
}
