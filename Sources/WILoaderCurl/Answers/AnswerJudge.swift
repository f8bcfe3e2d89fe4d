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
    /// Nothing of it is wanted.
    case refused(ImageError)
}

/// Judges heads of answers, in this order: redirect, not modified, status, coding.
struct AnswerJudge: Sendable {
    let configuration: CurlLoaderConfiguration
    let request: LoadRequest

    func judge(_ head: ResponseHead) -> Verdict {
        let status = head.status ?? 0
        if (100..<200).contains(status) { return .informational }
        if (300..<400).contains(status), status != 304, let location = head.headers["Location"],
            !location.isEmpty
        {
            return .redirect(location: location)
        }
        if status == 304, !request.validators.isEmpty { return .notModified(head) }
        guard (200..<300).contains(status) else { return .refused(.status(status, request)) }
        let coding = ContentCoding(field: head.headers["Content-Encoding"])
        if case .unknown(let name) = coding {
            return .refused(
                ImageError(
                    .contentCoding, stage: .load,
                    "The body comes in the content coding “\(name)”, which was not asked for.",
                    url: request.url)
            )
        }
        return .body(head, coding)
    }
}

extension ImageError {
    static func status(_ status: Int, _ request: LoadRequest) -> ImageError {
        ImageError(
            .httpStatus, stage: .load, "The server answers with status \(status).", url: request.url,
            isRetryable: status == 408 || status == 429 || status >= 500, httpStatus: status)
    }
}
