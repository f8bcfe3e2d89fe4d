// SPDX-License-Identifier: MIT
internal import FoundationEssentials

/// When the next preview of a picture that is arriving is due. A pure value.
///
/// One preview is made at a time, and none before so much more has come: a share of the whole where its length is known, else a
/// share of what is there, so that the number of previews is bounded whatever the length.
struct PreviewSchedule: Hashable, Sendable {
    /// The share, of 1.
    let interval: Double
    private(set) var isRunning = false
    private(set) var isOver = false
    private var due = 1

    init(interval: Double) { self.interval = interval.isFinite ? min(max(interval, 0), 1) : 0.05 }

    /// Whether a preview is to be begun now, with `received` bytes there.
    mutating func begins(received: Int, expected: Int?) -> Bool {
        guard !isOver, !isRunning, received >= due else { return false }
        // The whole picture is about to come.
        if let expected, received >= expected { return false }
        isRunning = true
        let whole = Double(max(received, expected ?? received))
        due = received + max(1, Int(min(whole * interval, 1e15)))
        return true
    }

    /// The preview that was begun is done.
    mutating func ended() { isRunning = false }

    /// No preview is wanted any more.
    mutating func close() { isOver = true }
}

/// Makes previews of one target's picture from the bytes that arrive, on the work pool.
final class PreviewFeed: Sendable {
    private struct State: Sendable {
        var schedule: PreviewSchedule
        var decoder: (any ProgressiveDecoder)?
        var consumed = 0
        var latest: (received: Int, expected: Int?) = (0, nil)
    }

    private let state: Locked<State>
    private let plan: RequestPlan
    private let coder: any ImageCoder
    private let parts: ManagerParts
    private let show: @Sendable (ImagePreview) -> Void

    init(
        _ plan: RequestPlan, _ coder: any ImageCoder, _ parts: ManagerParts,
        show: @escaping @Sendable (ImagePreview) -> Void
    ) {
        self.plan = plan
        self.coder = coder
        self.parts = parts
        self.show = show
        state = Locked(
            State(schedule: PreviewSchedule(interval: plan.context[.previewInterval] ?? 0.05)))
    }

    /// More has come into `sink`.
    func advance(_ received: Int, _ expected: Int?, _ sink: BodySink, _ priority: LoadPriority) {
        let begins = state.withLock { state in
            state.latest = (received, expected)
            return state.schedule.begins(received: received, expected: expected)
        }
        guard begins else { return }
        parts.workPool.submit(priority, cost: .zero) { [self] work in
            makePreview(sink, work)
            let next = state.withLock { state in
                state.schedule.ended()
                return state.latest
            }
            advance(next.received, next.expected, sink, priority)
        }
    }

    /// The whole picture is there, or nobody wants it: no preview is shown any more.
    func close() {
        let decoder = state.withLock { state in
            state.schedule.close()
            defer { if !state.schedule.isRunning { state.decoder = nil } }
            return state.decoder
        }
        _ = decoder
    }

    private func makePreview(_ sink: BodySink, _ work: borrowing WorkContext) {
        do {
            guard let decoder = try decoder(sink) else { return }
            let offset = state.withLock { $0.consumed }
            let bytes = sink.bytes(from: offset)
            state.withLock { $0.consumed = offset + bytes.count }
            try decoder.append(bytes.bytes, work)
            guard var preview = try decoder.preview(work) else { return }
            if let transformer = plan.transformer {
                preview = ImagePreview(
                    pixels: try transformer.transform(preview.pixels, work), format: preview.format)
            }
            if state.withLock({ !$0.schedule.isOver }) { show(preview) }
        } catch {
            // What cannot be shown on the way is judged when it is whole.
            close()
        }
    }

    private func decoder(_ sink: BodySink) throws -> (any ProgressiveDecoder)? {
        if let decoder = state.withLock({ $0.decoder }) { return decoder }
        let head = sink.bytes(from: 0)
        guard let progressive = coder.progressiveCoder(for: head.bytes) else {
            // Too few bytes may be there to tell the format.
            if !ImageFormat.mayStillDetect(head.bytes) { close() }
            return nil
        }
        let decoder = try progressive.makeProgressiveDecoder(plan.decodeOptions)
        state.withLock { $0.decoder = decoder }
        return decoder
    }
}

extension ImageCoder {
    /// The coder that shows a picture beginning with `head` while it arrives.
    func progressiveCoder(for head: RawSpan) -> (any ProgressiveImageCoder)? {
        if let manager = self as? CodersManager { return manager.progressiveCoder(claiming: head) }
        return format(of: head) == nil ? nil : self as? any ProgressiveImageCoder
    }
}
