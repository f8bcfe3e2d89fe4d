// SPDX-License-Identifier: MIT
public import WICore

extension DiskCache {
    /// How long a folder that was found good is not looked at again. Whoever deletes it gives others the chance to make it.
    private static let trustSeconds = 10.0

    /// Whether the folder is one that the cache can use, or can be made.
    ///
    /// - Throws: ``ImageError`` with code `cacheRead` where the folder, or one in it, is none, belongs to another user, or may
    ///   be written by others.
    public func checkFolder() throws(ImageError) { try checkFolder(.cacheRead, .query) }

    /// The same, for a use of that kind.
    func checkFolder(_ code: ImageError.Code, _ stage: ImageError.Stage) throws(ImageError) {
        try checkFolder(code, stage, at: now)
    }

    func checkFolder(_ code: ImageError.Code, _ stage: ImageError.Stage, at now: Double) throws(ImageError) {
        if let last = trustedAt.withLock({ $0 }), abs(now - last) < Self.trustSeconds { return }
        guard let (folder, reason) = FolderTrust(configuration.fileSystem).objection(to: layout) else {
            let isThere = (try? configuration.fileSystem.status(layout.folder)) != nil
            trustedAt.withLock { $0 = isThere ? now : nil }
            return
        }
        throw ImageError(
            code, stage: stage,
            "The cache is not used: “\(folder)” \(reason). Choose a folder of your own that nobody else can write to."
        )
    }
}
