// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import WICore

/// The way of a body from libcurl to its sink: decoded where it is coded, held back where the sink wants no more for now.
///
/// What libcurl was told to keep comes again later, in pieces of any size; what of it was decoded already is skipped then.
final class BodyFlow {
    /// The beginning of the body, where only its rest comes.
    private var beginning: Data?
    private let decoder: ContentDecoder?
    private let buffer: UnsafeMutableRawBufferPointer
    /// Plain bytes that the sink has not taken yet.
    private var waiting = 0..<0
    /// Bytes at the head of the next pieces that were used before the pause.
    private var used = 0
    private(set) var failure: ContentDecoder.Failure?
    private static let room = 64 << 10

    /// Nil when there is no memory.
    init?(_ coding: ContentCoding, after beginning: Data? = nil) {
        self.beginning = beginning
        guard coding != .identity else {
            decoder = nil
            buffer = UnsafeMutableRawBufferPointer(start: nil, count: 0)
            return
        }
        guard let decoder = ContentDecoder(coding) else { return nil }
        self.decoder = decoder
        buffer = .allocate(byteCount: Self.room, alignment: 16)
    }

    deinit { if decoder != nil { buffer.deallocate() } }

    /// Whether what came is a whole body.
    var isComplete: Bool { beginning == nil && decoder?.isComplete ?? true }

    /// Hands bytes on; `stop` where the sink wants no more or the bytes are damaged.
    func take(_ bytes: UnsafeRawBufferPointer, into sink: BodySink) -> BodySink.Answer {
        if let beginning {
            let answer = sink.offer(beginning.bytes)
            guard answer == .accepted else { return answer }
            self.beginning = nil
        }
        guard let decoder else { return sink.offer(RawSpan(_unsafeBytes: bytes)) }
        let skipped = min(used, bytes.count)
        let rest = UnsafeRawBufferPointer(rebasing: bytes[skipped...])
        switch decode(rest, decoder, sink) {
        case .accepted(let count):
            used -= skipped
            guard count == rest.count else {
                failure = .damaged
                return .stop
            }
            return .accepted
        case .paused(let count):
            used += count
            return .pause
        case .stopped: return .stop
        }
    }

    private enum Step {
        case accepted(Int)
        case paused(after: Int)
        case stopped
    }

    private func decode(
        _ bytes: UnsafeRawBufferPointer, _ decoder: ContentDecoder, _ sink: BodySink
    ) -> Step {
        var taken = 0
        while true {
            switch empty(into: sink) {
            case .accepted: break
            case .pause: return .paused(after: taken)
            case .stop: return .stopped
            }
            do throws(ContentDecoder.Failure) {
                let input = UnsafeRawBufferPointer(rebasing: bytes[taken...])
                let step = try decoder.decode(input, into: buffer)
                taken += step.taken
                waiting = 0..<step.written
                guard step.written > 0 || step.taken > 0 else { return .accepted(taken) }
            } catch {
                failure = error
                return .stopped
            }
        }
    }

    /// Gives the sink what waits for it.
    private func empty(into sink: BodySink) -> BodySink.Answer {
        guard !waiting.isEmpty else { return .accepted }
        let answer = sink.offer(RawSpan(_unsafeBytes: UnsafeRawBufferPointer(rebasing: buffer[waiting])))
        if answer == .accepted { waiting = 0..<0 }
        return answer
    }
}
