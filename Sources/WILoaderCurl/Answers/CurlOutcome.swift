// SPDX-License-Identifier: MIT
internal import CurlShim
internal import FoundationEssentials
internal import WICore

/// What the end of one exchange with a server means, the one place where libcurl's codes become errors.
struct CurlOutcome {
    enum Step: Sendable {
        case success(LoadResult)
        case failure(ImageError, RetrySchedule.Failure)
        case follow(Hop)
        /// Everything is asked for anew.
        case restart
    }

    private let transfer: CurlTransfer
    private let code: CURLcode
    private let engine: CurlEngine

    init(_ transfer: CurlTransfer, _ code: CURLcode, _ engine: CurlEngine) {
        self.transfer = transfer
        self.code = code
        self.engine = engine
    }

    private var url: URL { transfer.request.url }

    /// What is to be done now.
    var step: Step {
        if let refusal = transfer.refusal { return fail(refusal) }
        if let failure = transfer.sink?.failure { return fail(failure.naming(url)) }
        // The page that came with a status may have been given up as too long: the status is what matters.
        switch transfer.verdict {
        case .redirect(let location) where code == CURLE_OK || code == CURLE_WRITE_ERROR:
            return follow(location)
        case .refused(let error) where code == CURLE_OK || code == CURLE_WRITE_ERROR:
            let wait = error.httpStatus == nil ? nil : transfer.easy?.retryAfter
            return .failure(error, RetrySchedule.Failure(status: error.httpStatus, retryAfter: wait))
        case .notModified(let head) where code == CURLE_OK: return .success(.notModified(head))
        case .noRest: return .restart
        case .body where code == CURLE_OK, .rest where code == CURLE_OK:
            return transfer.flow?.isComplete == true ? .success(.streamed) : fail(incomplete)
        default: return .failure(error, RetrySchedule.Failure(isAccident: isAccident))
        }
    }

    private func fail(_ error: ImageError) -> Step { .failure(error, RetrySchedule.Failure()) }

    private func follow(_ location: String) -> Step {
        guard transfer.redirects < engine.configuration.maximumRedirects else {
            return fail(
                make(
                    .redirectLimit, "There are more than \(engine.configuration.maximumRedirects) redirects.")
            )
        }
        do throws(ImageError) {
            return .follow(try transfer.hop.next(location, engine.configuration))
        } catch {
            return fail(error)
        }
    }

    /// Whether the connection failed before there was anything of the body, or where its rest can be asked for.
    private var isAccident: Bool {
        guard transfer.addressRefusal == nil, let sink = transfer.sink,
            sink.receivedCount == 0 || transfer.canContinue
        else { return false }
        switch code {
        case CURLE_COULDNT_CONNECT, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE,
            CURLE_HTTP2, CURLE_HTTP2_STREAM:
            return true
        default: return false
        }
    }

    private func make(_ code: ImageError.Code, _ message: String, retry: Bool = false) -> ImageError {
        ImageError(
            code, stage: .load, message, url: url, isRetryable: retry,
            underlying: self.code == CURLE_OK ? nil : transfer.easy?.text(for: self.code))
    }

    private var error: ImageError {
        switch code {
        case CURLE_OK, CURLE_WEIRD_SERVER_REPLY: return make(.network, "What the server sends is no HTTP.")
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_URL_MALFORMAT: return addressError
        case CURLE_COULDNT_RESOLVE_HOST: return make(.hostNotFound, "The host has no address.", retry: true)
        case CURLE_COULDNT_RESOLVE_PROXY:
            return make(.hostNotFound, "The proxy that the environment names has no address.", retry: true)
        case CURLE_COULDNT_CONNECT where transfer.addressRefusal != nil:
            return transfer.addressRefusal ?? .outOfMemory(url)
        case CURLE_COULDNT_CONNECT: return make(.network, "The server cannot be reached.", retry: true)
        case CURLE_OPERATION_TIMEDOUT:
            return make(.timeout, "No connection within \(engine.configuration.connectTimeout).", retry: true)
        case CURLE_PARTIAL_FILE: return incomplete
        case CURLE_RECV_ERROR, CURLE_HTTP2, CURLE_HTTP2_STREAM, CURLE_HTTP3, CURLE_QUIC_CONNECT_ERROR:
            return transfer.flow != nil
                ? incomplete : make(.network, "The connection broke.", retry: true)
        case CURLE_GOT_NOTHING:
            return make(.network, "The server closed the connection without an answer.", retry: true)
        case CURLE_OUT_OF_MEMORY where transfer.isInHead:
            // The same code stands for a line that is longer than libcurl takes.
            return make(
                .network, "A header field of the answer is longer than 100 KB, or there is no memory for it.")
        case CURLE_OUT_OF_MEMORY: return .outOfMemory(url)
        default: return safetyError ?? make(.network, "The transfer failed.", retry: true)
        }
    }

    private var incomplete: ImageError {
        make(.incompleteBody, "The body ended before its end.", retry: true)
    }

    private var addressError: ImageError {
        if code == CURLE_URL_MALFORMAT { return make(.invalidURL, "The URL is malformed.") }
        // The scheme was looked at before: the same code stands for an answer that is no HTTP.
        return make(.network, "What the server sends is no HTTP.")
    }

    /// What is wrong with certificate or handshake; nil when neither is.
    private var safetyError: ImageError? {
        switch code {
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_ISSUER_ERROR,
            CURLE_SSL_PINNEDPUBKEYNOTMATCH:
            return make(.tls, "The server's certificate is not trusted.")
        case CURLE_SSL_CONNECT_ERROR: return make(.tls, "The connection cannot be made safe.", retry: true)
        case CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE,
            CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_ENGINE_INITFAILED,
            CURLE_USE_SSL_FAILED,
            CURLE_SSL_CLIENTCERT:
            return make(.tls, "The connection cannot be made safe with this configuration.")
        default: return nil
        }
    }
}

extension ImageError {
    static let shutDownLoader = ImageError(
        .shutDown, stage: .load, "The loader was shut down; make another one.")

    static func timeout(_ url: URL, _ deadline: TransferTimes.Deadline) -> ImageError {
        let what =
            switch deadline.kind {
            case .total, .retry: "The load took longer than"
            case .silence: "Nothing came for"
            case .firstByte: "No answer began within"
            case .lowSpeed: "Less than the least speed came for"
            }
        return ImageError(
            .timeout, stage: .load, "\(what) \(deadline.limit).", url: url, isRetryable: true)
    }
}
