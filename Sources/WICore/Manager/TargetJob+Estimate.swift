// SPDX-License-Identifier: MIT
internal import FoundationEssentials

extension TargetJob {
    /// What a decode will hold; nothing where the head cannot be read, which the coder will say better.
    ///
    /// - Throws: `memoryLimit`.
    func estimate(_ data: Data, _ options: DecodeOptions) throws(ImageError) -> ByteCount {
        guard case .info(let info)? = try? plugins.coder.probe(data.bytes, isComplete: true),
            (try? options.limits.check(info.storedSize, format: info.format)) != nil
        else { return .zero }
        let estimate = plugins.coder.estimate(info, options)
        try parts.workPool.checkDecode(estimate, info)
        return estimate
    }
}
