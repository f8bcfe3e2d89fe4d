// SPDX-License-Identifier: MIT
internal import WICore

/// What the head of an answer means for its request.
enum Verdict: Sendable {
    /// No answer yet: 1xx.
    case informational
    /// The answer is elsewhere.
    case redirect(location: String)
    /// The stored answer is still good.
    case notModified(ResponseHead)
    /// The body is wanted.
    case body(ResponseHead, ContentCoding)
    /// The rest of a body is wanted; the head is that of the whole.
    case rest(ResponseHead)
    /// It is no rest of the body, nor another one: everything is to be asked for anew.
    case noRest
    /// Nothing of it is wanted.
    case refused(ImageError)
}

/// Judges heads of answers. In this order, the first failure counts: redirect, modifier, status, content type, coding.
struct AnswerJudge: Sendable {
    private let statuses: Set<Int>?
    private let types: Set<String>?
    private let modifier: ResponseModifier?

    init(_ configuration: CurlLoaderConfiguration) {
        statuses = configuration.acceptableStatuses
        types = configuration.acceptableContentTypes
        modifier = configuration.responseModifier
    }

    /// `partial` is the body whose rest was asked for.
    func judge(_ given: ResponseHead, of request: LoadRequest, _ partial: PartialBody?) -> Verdict {
        guard let status = given.status, status >= 100 else {
            return .refused(request.refusal(.network, "The server answers without a status."))
        }
        if (100..<200).contains(status) { return .informational }
        if (300..<400).contains(status), status != 304, let location = given.headers["Location"],
            !location.isEmpty
        {
            return .redirect(location: location)
        }
        do throws(ImageError) {
            let head = try modified(given, request)
            if let partial, head.status == 206 || head.status == 416 {
                return partial.wholeHead(head).map { .rest($0) } ?? .noRest
            }
            return try judge(final: head, request)
        } catch {
            return .refused(error)
        }
    }

    private func judge(
        final head: ResponseHead, _ request: LoadRequest
    ) throws(ImageError) -> Verdict {
        let status = head.status ?? 200
        if status == 304, !request.validators.isEmpty { return .notModified(head) }
        guard statuses?.contains(status) ?? (status != 304) else {
            throw .status(status, request)
        }
        guard status != 206 || request.asksForPart else {
            throw request.refusal(
                .httpStatus, "The server sends a part (206), which was not asked for.", status)
        }
        try judgeType(head, request)
        let coding = ContentCoding(field: head.headers["Content-Encoding"])
        if case .unknown(let name) = coding {
            throw request.refusal(
                .contentCoding,
                "The body comes in the content coding “\(name)”, which the loader cannot undo.")
        }
        return .body(head, coding)
    }

    private func judgeType(_ head: ResponseHead, _ request: LoadRequest) throws(ImageError) {
        guard let types, let field = head.headers["Content-Type"] else { return }
        let type = field.prefix { $0 != ";" }.lowercased().filter { !$0.isWhitespace }
        guard type.isEmpty || types.contains(type) else {
            throw request.refusal(
                .contentType, "The server sends “\(type)”, which the loader does not accept.")
        }
    }

    private func modified(
        _ head: ResponseHead, _ request: LoadRequest
    ) throws(ImageError) -> ResponseHead {
        guard let modifier = request.context[.responseModifier] ?? modifier else { return head }
        do {
            return try modifier.modify(head)
        } catch {
            throw .wrapping(error, as: .responseRefused, stage: .load, url: request.url)
        }
    }
}

extension LoadRequest {
    fileprivate func refusal(
        _ code: ImageError.Code, _ message: String, _ status: Int? = nil
    ) -> ImageError {
        ImageError(code, stage: .load, message, url: url, httpStatus: status)
    }

    /// Whether it asks for a part of the body itself.
    var asksForPart: Bool { !headers.isEmpty && headers["Range"] != nil }
}

extension ImageError {
    static func status(_ status: Int, _ request: LoadRequest) -> ImageError {
        ImageError(
            .httpStatus, stage: .load, "The server answers with status \(status).", url: request.url,
            isRetryable: status == 408 || status == 429 || status >= 500, httpStatus: status)
    }
}
