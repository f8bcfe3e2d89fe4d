// SPDX-License-Identifier: MIT

/// One connection's thread: reads requests, plays their scripts, until somebody closes.
struct ServerConnection {
    let core: ServerCore
    let number: Int
    let socket: Int32
    let wake: Int32
    private static let largestHead = 64 << 10

    /// How a script's steps ended.
    private enum Ending {
        case complete, close, peerGone
    }

    /// The state of one answer.
    private struct Answer {
        let script: Script
        let path: String
        let sendsBody: Bool
        var sent = 0
        var pending: [UInt8] = []
    }

    func run() {
        var buffer: [UInt8] = []
        while let head = nextHead(&buffer) {
            guard skipBody(head.bodyLength, &buffer) else { return }
            let (request, script) = core.receive(head, connection: number)
            let ending = play(script, for: request)
            core.finish(request, abandoned: ending == .peerGone)
            guard ending == .complete, head.keepsAlive else { return }
        }
    }

    private func nextHead(_ buffer: inout [UInt8]) -> RequestHead? {
        while true {
            if let end = RequestHead.end(in: buffer) {
                defer { buffer.removeFirst(end) }
                return RequestHead(buffer[..<end])
            }
            guard buffer.count < Self.largestHead, let more = ServerSocket.receive(socket) else { return nil }
            buffer += more
        }
    }

    private func skipBody(_ length: Int, _ buffer: inout [UInt8]) -> Bool {
        var rest = max(0, length)
        while rest > 0 {
            if buffer.isEmpty {
                guard let more = ServerSocket.receive(socket) else { return false }
                buffer = more
            }
            let count = min(rest, buffer.count)
            buffer.removeFirst(count)
            rest -= count
        }
        return true
    }

    private func play(_ script: Script, for request: Request) -> Ending {
        var answer = Answer(
            script: script, path: request.path, sendsBody: request.method != "HEAD" && !script.isBodiless)
        for step in script.steps {
            guard let ending = perform(step, &answer) else { continue }
            return ending
        }
        guard flush(&answer) else { return .peerGone }
        return isComplete(answer) ? .complete : .close
    }

    /// Nil: go on with the next step.
    private func perform(_ step: Script.Step, _ answer: inout Answer) -> Ending? {
        switch step {
        case .head:
            answer.pending += answer.script.headBytes()
            return nil
        case .raw(let bytes):
            answer.pending += bytes
            return nil
        case .body(let count):
            return sendBody(count, &answer) ? nil : .peerGone
        case .wait(let duration):
            return flush(&answer) && pause(duration) ? nil : .peerGone
        case .gate(let name):
            return flush(&answer) && waitForGate(name) ? nil : .peerGone
        case .hang:
            if flush(&answer) {
                while ServerSocket.wait(socket, wake: wake, milliseconds: nil) != .peerGone {}
            }
            return .peerGone
        case .close:
            return flush(&answer) ? .close : .peerGone
        case .reset:
            defer { ServerSocket.resetOnClose(socket) }
            return flush(&answer) ? .close : .peerGone
        }
    }

    private func sendBody(_ count: Int?, _ answer: inout Answer) -> Bool {
        guard answer.sendsBody else { return true }
        let body = answer.script.body
        let end = min(body.count, answer.sent + min(count ?? body.count, body.count))
        let part = body[answer.sent..<end]
        answer.sent = end
        guard case .chunked(let size) = answer.script.framing else {
            if part.count < 64 << 10 {
                answer.pending += part
                core.count(part.count, sentFor: answer.path)
                return flush(&answer)
            }
            return flush(&answer)
                && ServerSocket.send(part, on: socket) { core.count($0, sentFor: answer.path) }
        }
        for start in stride(from: part.startIndex, to: part.endIndex, by: size) {
            let chunk = part[start..<min(part.endIndex, start + size)]
            answer.pending += Array("\(String(chunk.count, radix: 16))\r\n".utf8) + chunk + [13, 10]
            core.count(chunk.count, sentFor: answer.path)
            guard flush(&answer) else { return false }
        }
        if end == body.count { answer.pending += Array("0\r\n\r\n".utf8) }
        return flush(&answer)
    }

    private func flush(_ answer: inout Answer) -> Bool {
        defer { answer.pending.removeAll() }
        return answer.pending.isEmpty || ServerSocket.send(answer.pending[...], on: socket)
    }

    private func pause(_ duration: Duration) -> Bool {
        let (seconds, attoseconds) = duration.components
        let milliseconds = Int32(clamping: seconds.multipliedReportingOverflow(by: 1000).partialValue)
            .addingReportingOverflow(Int32(attoseconds / 1_000_000_000_000_000)).partialValue
        return ServerSocket.wait(socket, wake: wake, milliseconds: max(0, milliseconds)) != .peerGone
    }

    private func waitForGate(_ name: String) -> Bool {
        while !core.passes(name, connection: number) {
            if ServerSocket.wait(socket, wake: wake, milliseconds: nil) == .peerGone { return false }
        }
        return true
    }

    private func isComplete(_ answer: Answer) -> Bool {
        guard answer.script.steps.contains(.head) else { return false }
        guard answer.sendsBody else { return true }
        switch answer.script.framing {
        case .contentLength, .chunked: return answer.sent == answer.script.body.count
        case .declared(let length): return answer.sent == length
        case .untilClose: return false
        }
    }
}
