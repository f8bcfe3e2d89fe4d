// SPDX-License-Identifier: MIT
internal import FoundationEssentials

extension TargetJob {
    func decode(_ origin: TargetMachine.Origin) {
        guard let data = payload.data else { return }
        let options = origin == .target ? plan.storedDecodeOptions : plan.decodeOptions
        let cost: ByteCount
        do {
            cost = try estimate(data, options)
        } catch {
            handle(.failed(error))
            return
        }
        let stage = beginStage()
        let ticket = parts.workPool.submit(priority, cost: cost) { [self] work in
            do {
                try work.checkCancellation(.decode)
                let image = try decoded(data, options, work)
                handle(.decoded(transforms: transforms(image)), inline: work.flag) { payload in
                    payload.image = image
                    payload.sink = nil
                    if origin != .target, plan.targetKey != plan.originalKey { payload.isDerived = true }
                }
            } catch {
                let isCancelled = work.isCancelled
                handle(
                    .failed(
                        .wrapping(
                            error, as: .corruptData, stage: .decode, url: plan.url, isCancelled: isCancelled))
                )
            }
        }
        note(.work(ticket), of: stage)
    }

    private func decoded(
        _ data: Data, _ options: DecodeOptions, _ work: borrowing WorkContext
    ) throws -> DecodedImage {
        let span = parts.observe(.decode, plan.redactedURL)
        do {
            var image = try plugins.coder.decode(data, options, work)
            if plan.policy.requiresAnimation, image.frames == nil { throw ImageError.still(plan.url) }
            if plan.policy.preloadsFrames, let frames = image.frames {
                let limit = parts.workPool.memoryBudget
                image = image.replacingFrames(try FrameList(decoding: frames, limit: limit, work))
            }
            span?.end(.done)
            return image
        } catch {
            span?.end(.failed(.wrapping(error, as: .corruptData, stage: .decode, url: plan.url)))
            throw error
        }
    }

    /// Animations are left as they are unless the request says otherwise.
    private func transforms(_ image: DecodedImage) -> Bool {
        image.frames == nil || plan.policy.transformsAnimations
    }

    /// Runs in the job that decoded, so that its pixels do not wait in line behind other decodes.
    func transform(_ flag: CancellationFlag?) {
        guard let flag else {
            let stage = beginStage()
            let cost = payload.image?.memoryCost ?? .zero
            note(.work(parts.workPool.submit(priority, cost: cost) { [self] in transformNow($0) }), of: stage)
            return
        }
        transformNow(WorkContext(flag: flag, helpers: parts.workPool))
    }

    func transformNow(_ work: borrowing WorkContext) {
        guard let image = payload.image, let transformer = plan.transformer else { return }
        do {
            try work.checkCancellation(.transform)
            let transformed = try transformed(image, transformer, work)
            handle(.transformed) { payload in
                payload.image = transformed
                payload.isDerived = true
            }
        } catch {
            let isCancelled = work.isCancelled
            handle(
                .failed(
                    .wrapping(
                        error, as: .transformFailed, stage: .transform, url: plan.url,
                        isCancelled: isCancelled)))
        }
    }

    private func transformed(
        _ image: DecodedImage, _ transformer: any Transformer, _ work: borrowing WorkContext
    ) throws -> DecodedImage {
        let span = parts.observe(.transform, plan.redactedURL)
        do {
            let transformer =
                try image.frames == nil ? transformer : transformer.settled(on: image.pixels, work)
            let pixels = try transformer.transform(image.pixels, work)
            span?.end(.done)
            guard let frames = image.frames else { return image.replacingPixels(pixels) }
            let source = TransformedFrames(frames, transformer, canvasSize: pixels.size)
            return image.replacingPixels(pixels, frames: source)
        } catch {
            span?.end(.failed(.wrapping(error, as: .transformFailed, stage: .transform, url: plan.url)))
            throw error
        }
    }
}

extension ImageError {
    fileprivate static func still(_ url: URL?) -> ImageError {
        ImageError(
            .unsupportedFeature, stage: .decode,
            "The picture does not move, and the request wants an animation only.", url: url)
    }
}
