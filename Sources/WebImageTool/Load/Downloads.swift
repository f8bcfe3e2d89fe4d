// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import WICore

/// Bytes by URL, past every cache.
enum Downloads {
    /// The body behind the URL, loaded from the thread that calls.
    ///
    /// - Throws: why it cannot be had.
    static func body(of text: String) throws(ImageError) -> Data {
        let result = Locked(Result<Data, ImageError>.failure(.cancelled(.load)))
        waitFor {}
        return try result.withLock { $0 }.get()
    }
}
