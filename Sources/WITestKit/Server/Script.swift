// SPDX-License-Identifier: MIT

/// How the test server answers one request: what it says, and in which steps.
///
/// Start from `ok`, `failure`, `redirect`, `hang` or `reset`, then change it by the methods that return a new
/// script: `Script.ok(jpeg, type: "image/jpeg").truncated(after: 1000)`.
package struct Script: Sendable {
    /// How the client learns where the body ends.
    package enum Framing: Sendable {
        /// `Content-Length` with the body's true length.
        case contentLength
        /// `Content-Length` with this number, true or not.
        case declared(Int)
        /// `Transfer-Encoding: chunked` in chunks of at most so many bytes.
        case chunked(Int)
        /// No length: the connection's end is the body's.
        case untilClose
    }

    /// One thing that the server does.
    ///
    /// After the last one the connection is kept for the next request if the answer was complete, and closed
    /// if not.
    package enum Step: Sendable, Equatable {
        /// Sends the status line and the header fields.
        case head
        /// Sends the next so many bytes of the body; all the rest for nil.
        case body(Int?)
        /// Waits in real time. Tests that must not depend on time use `gate`.
        case wait(Duration)
        /// Waits until the test calls `release` with this name; not at all if it has done so already.
        case gate(String)
        /// Waits until the client closes the connection or the server is stopped.
        case hang
        /// Ends the connection in order.
        case close
        /// Ends the connection by a TCP reset.
        case reset
        /// Sends these bytes as they are: answers that are no HTTP.
        case raw([UInt8])
    }

    /// The status code.
    package var status: Int
    /// The reason phrase; nil for the usual one.
    package var reason: String?
    /// Header fields; lengths and `Connection` are added by the server unless they are here.
    package var headers: [Request.Header]
    /// The body, as it goes over the wire.
    package var body: [UInt8]
    /// How its end is told.
    package var framing: Framing
    /// What is done, in order.
    package var steps: [Step]

    package init(
        status: Int = 200, reason: String? = nil, headers: [Request.Header] = [], body: [UInt8] = [],
        framing: Framing = .contentLength, steps: [Step] = [.head, .body(nil)]
    ) {
        self.status = status
        self.reason = reason
        self.headers = headers
        self.body = body
        self.framing = framing
        self.steps = steps
    }
}

extension Script {
    /// 200 with this body and `Content-Type`.
    package static func ok(_ body: [UInt8], type: String? = nil) -> Script {
        let script = Script(body: body)
        return type.map { script.with("Content-Type", $0) } ?? script
    }

    /// This status with a short text as its body.
    package static func failure(_ status: Int) -> Script {
        Script(status: status, body: Array("\(status) \(Script.reason(status))\n".utf8))
            .with("Content-Type", "text/plain")
    }

    /// A redirect to an absolute or relative location.
    package static func redirect(to location: String, status: Int = 302) -> Script {
        Script(status: status).with("Location", location)
    }

    /// 304, with the validator where one is given.
    package static func notModified(etag: String? = nil) -> Script {
        let script = Script(status: 304)
        return etag.map { script.with("ETag", $0) } ?? script
    }

    /// Takes the request and never answers.
    package static var hang: Script { Script(steps: [.hang]) }

    /// Takes the request and resets the connection.
    package static var reset: Script { Script(steps: [.reset]) }

    /// A responder that answers 304 to a request that carries this `If-None-Match`, and 200 to all others.
    package static func revalidated(
        _ body: [UInt8], type: String, etag: String, extra: [Request.Header] = []
    ) -> @Sendable (Request) -> Script {
        { request in
            var script =
                request.header("If-None-Match") == etag
                ? notModified(etag: etag) : ok(body, type: type).with("ETag", etag)
            script.headers += extra
            return script
        }
    }

    /// A responder that gives one script after the other, and the last of them from then on.
    package static func sequence(_ first: Script, _ rest: Script...) -> @Sendable (Request) -> Script {
        { request in
            let index = min(request.ordinal - 1, rest.count)
            return index == 0 ? first : rest[index - 1]
        }
    }
}

extension Script {
    /// With a further header field.
    package func with(_ name: String, _ value: String) -> Script {
        changed { $0.headers.append(Request.Header(name: name, value: value)) }
    }

    /// With the body's end told in another way.
    package func framed(_ framing: Framing) -> Script {
        changed { $0.framing = framing }
    }

    /// In chunks of at most `size` bytes.
    package func chunked(_ size: Int = 4096) -> Script {
        framed(.chunked(max(1, size)))
    }

    /// With this `Content-Length`, true or not.
    package func declaring(length: Int) -> Script {
        framed(.declared(length))
    }

    /// Ends the connection after so many bytes of the body, though more were announced.
    package func truncated(after count: Int) -> Script {
        changed { $0.steps = [.head, .body(max(0, count)), .close] }
    }

    /// Waits in real time before the head, or before the body.
    package func delayed(beforeHead: Duration? = nil, beforeBody: Duration? = nil) -> Script {
        changed { script in
            if let beforeBody { script.insert(.wait(beforeBody), behindHead: true) }
            if let beforeHead { script.insert(.wait(beforeHead), behindHead: false) }
        }
    }

    /// Waits for `release(name)` before the head.
    package func gated(beforeHead name: String) -> Script {
        changed { $0.insert(.gate(name), behindHead: false) }
    }

    /// Waits for `release(name)` after the head and `count` bytes of the body.
    package func gated(_ name: String, afterBody count: Int = 0) -> Script {
        changed { script in
            if count > 0 {
                script.insert(.gate(name), behindHead: true)
                script.insert(.body(count), behindHead: true)
            } else {
                script.insert(.gate(name), behindHead: true)
            }
        }
    }

    /// Sends the body in parts of `bytes`, with a pause in real time between them.
    package func dripping(_ bytes: Int, every pause: Duration) -> Script {
        changed { script in
            let size = max(1, bytes)
            let parts = (script.body.count + size - 1) / size
            script.steps =
                [.head] + (0..<parts).flatMap { $0 == 0 ? [.body(size)] : [.wait(pause), .body(size)] }
        }
    }

    /// Closes the connection after the answer, and says so.
    package func closing() -> Script {
        changed { script in
            script.headers.append(Request.Header(name: "Connection", value: "close"))
            script.steps.append(.close)
        }
    }

    /// With these steps in place of the present ones.
    package func doing(_ steps: Step...) -> Script {
        changed { $0.steps = steps }
    }

    private func changed(_ change: (inout Script) -> Void) -> Script {
        var script = self
        change(&script)
        return script
    }

    private mutating func insert(_ step: Step, behindHead: Bool) {
        guard let head = steps.firstIndex(of: .head) else { return steps.insert(step, at: 0) }
        steps.insert(step, at: behindHead ? head + 1 : head)
    }
}

extension Script {
    /// The usual reason phrase of a status.
    static func reason(_ status: Int) -> String {
        let phrases = [
            200: "OK", 204: "No Content", 206: "Partial Content", 301: "Moved Permanently", 302: "Found",
            303: "See Other", 304: "Not Modified", 307: "Temporary Redirect", 308: "Permanent Redirect",
            400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 410: "Gone",
            416: "Range Not Satisfiable", 429: "Too Many Requests", 500: "Internal Server Error",
            502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout",
        ]
        return phrases[status] ?? "Status"
    }

    /// Whether an answer of this status has no body by its nature (RFC 9110, section 6.4.1).
    var isBodiless: Bool { status == 204 || status == 304 || (100..<200).contains(status) }

    /// The bytes of the status line and the header fields.
    func headBytes() -> [UInt8] {
        var text = "HTTP/1.1 \(status) \(reason ?? Script.reason(status))\r\n"
        for header in headers { text += "\(header.name): \(header.value)\r\n" }
        if !isBodiless {
            switch framing {
            case .contentLength: text += "Content-Length: \(body.count)\r\n"
            case .declared(let length): text += "Content-Length: \(length)\r\n"
            case .chunked: text += "Transfer-Encoding: chunked\r\n"
            case .untilClose: text += "Connection: close\r\n"
            }
        }
        return Array((text + "\r\n").utf8)
    }
}
