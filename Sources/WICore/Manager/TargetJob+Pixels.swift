// SPDX-License-Identifier: MIT
internal import FoundationEssentials

extension TargetJob {
    func decode(_ origin: TargetMachine.Origin) {
        guard let data = payload.data else { return }
        let options = origin == .target ? plan.storedDecodeOptions : plan.decodeOptions
        let coder = plugins.coder
        let stage = beginStage()
        let ticket = parts.workPool.submit(priority, cost: estimate(data, options)) { [self] work in
            do {
                try work.checkCancellation(.decode)
                let image = try coder.decode(data, options, work)
                handle(.decoded, inline: work.flag) { payload in
                    payload.image = image
                    payload.sink = nil
                    if origin != .target, plan.targetKey != plan.originalKey { payload.isDerived = true }
                }
            } catch {
                handle(.failed(.wrapping(error, as: .corruptData, stage: .decode, url: plan.url)))
            }
        }
        note(.work(ticket), of: stage)
    }

    func estimate(_ data: Data, _ options: DecodeOptions) -> ByteCount {
        guard case .info(let info)? = try? plugins.coder.probe(data.bytes, isComplete: true) else {
            return .zero
        }
        return plugins.coder.estimate(info, options)
    }

    /// Runs in the job that decoded, so that its pixels do not wait in line behind other decodes.
    func transform(_ flag: CancellationFlag?) {
        guard let flag else {
            let stage = beginStage()
            let cost = payload.image?.memoryCost ?? .zero
            note(.work(parts.workPool.submit(priority, cost: cost) { [self] in transformNow($0) }), of: stage)
            return
        }
        transformNow(WorkContext(flag: flag))
    }

    func transformNow(_ work: borrowing WorkContext) {
        guard let image = payload.image, let transformer = plan.transformer else { return }
        do {
            try work.checkCancellation(.transform)
            let pixels = try transformer.transform(image.pixels, work)
            handle(.transformed) { payload in
                payload.image = image.replacingPixels(pixels)
                payload.isDerived = true
            }
        } catch {
            handle(.failed(.wrapping(error, as: .transformFailed, stage: .transform, url: plan.url)))
        }
    }
}
