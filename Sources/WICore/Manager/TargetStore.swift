// SPDX-License-Identifier: MIT
internal import FoundationEssentials

/// Puts one target's results into the caches: the original's bytes under the plain key, and, where it differs, the encoded
/// result under the target's. Runs on the I/O threads; encoding on the work pool.
struct TargetStore: Sendable {
    private let plan: RequestPlan
    private let plugins: RequestPlugins
    private let parts: ManagerParts
    private let payload: TargetJob.Payload

    init(_ plan: RequestPlan, _ plugins: RequestPlugins, _ parts: ManagerParts, _ payload: TargetJob.Payload)
    {
        self.plan = plan
        self.plugins = plugins
        self.parts = parts
        self.payload = payload
    }

    /// Whether target and original are one entry.
    private var isPlain: Bool { plan.targetKey == plan.originalKey && !plugins.keepsOriginalsApart }

    /// Stores what is wanted, each part whatever becomes of the other.
    ///
    /// - Returns: what failed; the request itself has succeeded.
    func store(original: Bool, target: Bool) async -> [any Error] {
        var failures: [any Error] = []
        do {
            if original { try await storeOriginal() }
        } catch {
            failures.append(error)
        }
        do {
            if target, !isPlain || payload.data == nil { try await storeTarget() }
        } catch {
            failures.append(error)
        }
        return failures
    }

    /// Writes the metadata to whatever is stored under the two keys.
    ///
    /// - Returns: what failed.
    func updateMetadata() async -> [any Error] {
        var failures: [any Error] = []
        do {
            try await plugins.cache.updateMetadata(payload.metadata, for: plan.targetKey)
        } catch {
            failures.append(error)
        }
        guard !isPlain else { return failures }
        do {
            try await plugins.originalCache.updateMetadata(payload.metadata, for: plan.originalKey)
        } catch {
            failures.append(error)
        }
        return failures
    }

    private func storeOriginal() async throws {
        guard let data = payload.data else { return }
        let levels =
            isPlain
            ? plan.policy.storeLevels.union(plan.policy.originalStoreLevels) : plan.policy.originalStoreLevels
        let kept = try await serialized(isPlain ? payload.image : nil, original: data) ?? data
        let entry = NewEntry(data: kept, metadata: payload.metadata)
        try await plugins.originalCache.store(entry, for: plan.originalKey, in: levels.subtracting(.memory))
    }

    private func storeTarget() async throws {
        let data: Data
        if plan.targetKey == plan.originalKey, let bytes = payload.data {
            data = try await serialized(payload.image, original: bytes) ?? bytes
        } else {
            guard let image = payload.image else { return }
            if let serialized = try await serialized(image, original: nil) {
                data = serialized
            } else {
                data = try await encoded(image)
            }
        }
        let entry = NewEntry(data: data, metadata: payload.metadata)
        try await plugins.cache.store(
            entry, for: plan.targetKey, in: plan.policy.storeLevels.subtracting(.memory))
    }

    private func serialized(_ image: DecodedImage?, original: Data?) async throws -> Data? {
        guard let serializer = plan.context[.cacheSerializer] else { return nil }
        let url = plan.url
        return try await parts.workPool.run(.low) { _ in
            try serializer.bytes(for: image, original: original, url: url)
        }
    }

    private func encoded(_ image: DecodedImage) async throws -> Data {
        let format = storeFormat(image)
        let options = plan.context[.encodeOptions] ?? EncodeOptions()
        let coder = plugins.coder
        return try await parts.workPool.run(.low, cost: image.memoryCost) { work in
            try coder.encode(image, as: format, options, work)
        }
    }

    /// The picture's own format where it can hold the pixels and be encoded; else GIF for what moves, PNG with alpha, JPEG without.
    private func storeFormat(_ image: DecodedImage) -> ImageFormat {
        if let format = plan.context[.storeFormat] { return format }
        let moving = (plugins.coder as? any AnimatedImageCoder)?.animatedFormats ?? []
        if let own = image.format, plugins.coder.canEncode(own), Self.holds(own, image, moving) { return own }
        if image.frames != nil, moving.contains(.gif) { return .gif }
        return image.pixels.alphaMode == .opaque ? .jpeg : .png
    }

    /// Whether a picture that was of this format can be so again: resizing leaves more colours than a GIF's table has, and what moves
    /// stays itself only in a format that is written with all frames.
    private static func holds(_ format: ImageFormat, _ image: DecodedImage, _ moving: Set<ImageFormat>)
        -> Bool
    {
        if image.frames != nil { return moving.contains(format) || !moving.contains(.gif) }
        switch format {
        case .jpeg: return image.pixels.alphaMode == .opaque
        case .gif: return false
        default: return true
        }
    }
}
