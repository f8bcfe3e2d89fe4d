// SPDX-License-Identifier: MIT
internal import CurlShim
internal import FoundationEssentials
internal import WICore

/// What a transfer's end means, the one place where libcurl's codes become errors.
struct CurlOutcome {
    private let transfer: CurlTransfer
    private let code: CURLcode
    private let configuration: CurlLoaderConfiguration

    init(_ transfer: CurlTransfer, _ code: CURLcode, _ configuration: CurlLoaderConfiguration) {
        self.transfer = transfer
        self.code = code
        self.configuration = configuration
    }

    private var url: URL { transfer.request.url }
    private var status: Int { transfer.response.status }

    var answer: CurlTransfer.Answer {
        if let refusal = transfer.refusal { return .failure(refusal) }
        if let failure = transfer.sink?.failure { return .failure(failure.naming(url)) }
        if code == CURLE_OK { return answered }
        // The page that came with an error was given up as too long: the status is what matters.
        if code == CURLE_WRITE_ERROR, !transfer.response.isSuccess { return .failure(statusError) }
        return .failure(error)
    }

    private var answered: CurlTransfer.Answer {
        if status == 304, !transfer.request.validators.isEmpty {
            return .success(.notModified(transfer.head))
        }
        guard transfer.response.isSuccess else { return .failure(statusError) }
        guard transfer.begin() else { return .failure(transfer.sink?.failure ?? .cancelled(.load, url: url)) }
        return .success(.streamed)
    }

    private var statusError: ImageError {
        ImageError(
            .httpStatus, stage: .load, "The server answers with status \(status).", url: url,
            isRetryable: status == 408 || status == 429 || status >= 500, httpStatus: status)
    }

    private func make(_ code: ImageError.Code, _ message: String, retry: Bool = false) -> ImageError {
        ImageError(
            code, stage: .load, message, url: url, isRetryable: retry,
            underlying: transfer.easy?.text(for: self.code))
    }

    private var error: ImageError {
        switch code {
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_URL_MALFORMAT, CURLE_TOO_MANY_REDIRECTS: return addressError
        case CURLE_COULDNT_RESOLVE_HOST: return make(.hostNotFound, "The host has no address.", retry: true)
        case CURLE_COULDNT_RESOLVE_PROXY:
            return make(.hostNotFound, "The proxy that the environment names has no address.", retry: true)
        case CURLE_COULDNT_CONNECT: return make(.network, "The server cannot be reached.", retry: true)
        case CURLE_OPERATION_TIMEDOUT:
            return make(.timeout, "No connection within \(configuration.connectTimeout).", retry: true)
        case CURLE_PARTIAL_FILE: return incomplete
        case CURLE_RECV_ERROR, CURLE_HTTP2, CURLE_HTTP2_STREAM, CURLE_HTTP3, CURLE_QUIC_CONNECT_ERROR:
            return transfer.hasBegun ? incomplete : make(.network, "The connection broke.", retry: true)
        case CURLE_GOT_NOTHING:
            return make(.network, "The server closed the connection without an answer.", retry: true)
        case CURLE_OUT_OF_MEMORY:
            return make(.outOfMemory, "There is no memory for the transfer.", retry: true)
        default: return safetyError ?? make(.network, "The transfer failed.", retry: true)
        }
    }

    private var incomplete: ImageError {
        make(.incompleteBody, "The body ended before its stated length.", retry: true)
    }

    /// What is wrong with the URL, or with where the server points to.
    private var addressError: ImageError {
        if code == CURLE_TOO_MANY_REDIRECTS {
            return make(.redirectLimit, "There are more than \(configuration.maximumRedirects) redirects.")
        }
        let isRedirect = transfer.response.redirects > 0
        if code == CURLE_URL_MALFORMAT {
            return isRedirect
                ? make(.redirectRefused, "The server redirects to something that is no URL.")
                : make(.invalidURL, "The URL is malformed.")
        }
        // The same code stands for an answer that is no HTTP: only the scheme tells them apart.
        let scheme = transfer.easy?.effectiveURL?.prefix { $0 != ":" }.lowercased()
        if scheme == "http" || scheme == "https" {
            return make(.network, "What the server sends is no HTTP.")
        }
        return isRedirect
            ? make(
                .redirectRefused,
                "The server redirects to a scheme that is not followed; only http and https are.")
            : make(.unsupportedScheme, "Only http and https are loaded.")
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

    static func timeout(_ url: URL, after limit: Duration, isTotal: Bool) -> ImageError {
        let what = isTotal ? "The load took longer than" : "Nothing came for"
        return ImageError(.timeout, stage: .load, "\(what) \(limit).", url: url, isRetryable: true)
    }
}
