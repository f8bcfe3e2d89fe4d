// SPDX-License-Identifier: MIT
internal import CurlShim
internal import FoundationEssentials
internal import WICore

/// What a transfer's end means. The one place where libcurl's codes become errors.
struct CurlOutcome {
    private let transfer: CurlTransfer
    private let code: CURLcode
    private let configuration: CurlLoaderConfiguration

    init(_ transfer: CurlTransfer, _ code: CURLcode, _ configuration: CurlLoaderConfiguration) {
        self.transfer = transfer
        self.code = code
        self.configuration = configuration
    }

    private var status: Int { transfer.response.status }

    var result: Result<LoadResult, ImageError> {
        if let failure = transfer.sink.failure { return .failure(failure.naming(transfer.request.url)) }
        if code == CURLE_OK { return answered }
        // The body of an error page was given up: the status is what matters.
        if code == CURLE_WRITE_ERROR, status >= 400 { return .failure(statusError) }
        return .failure(error)
    }

    private var answered: Result<LoadResult, ImageError> {
        if status == 304, !transfer.request.validators.isEmpty { return .success(.notModified(transfer.head)) }
        guard (200..<300).contains(status) else { return .failure(statusError) }
        guard transfer.beginBody() else {
            return .failure(transfer.sink.failure ?? .cancelled(.load, url: transfer.request.url))
        }
        return .success(.streamed)
    }

    private var statusError: ImageError {
        ImageError(
            .httpStatus, stage: .load, "The server answers with status \(status).", url: transfer.request.url,
            isRetryable: status == 408 || status == 429 || status >= 500, httpStatus: status)
    }

    private func make(_ code: ImageError.Code, _ message: String, retry: Bool = false) -> ImageError {
        ImageError(
            code, stage: .load, message, url: transfer.request.url, isRetryable: retry,
            underlying: String(cString: wi_easy_error(self.code)))
    }

    private var redirects: Int {
        guard let easy = transfer.easy else { return 0 }
        var count = 0
        wi_easy_get_long(UnsafeMutableRawPointer(easy), CURLINFO_REDIRECT_COUNT, &count)
        return count
    }

    private var error: ImageError {
        switch code {
        case CURLE_UNSUPPORTED_PROTOCOL:
            // Before any answer, the URL itself has the scheme; after one, it is where the server points to.
            return status == 0
                ? make(.unsupportedScheme, "Only http and https are loaded.")
                : make(.redirectRefused, "The server redirects to a scheme that is not followed; only http and https are.")
        case CURLE_URL_MALFORMAT: return make(.invalidURL, "The URL is malformed.")
        case CURLE_TOO_MANY_REDIRECTS:
            return make(.redirectLimit, "There are more than \(configuration.maximumRedirects) redirects.")
        case CURLE_COULDNT_RESOLVE_HOST: return make(.hostNotFound, "The host has no address.", retry: true)
        case CURLE_COULDNT_RESOLVE_PROXY: return make(.hostNotFound, "The proxy has no address.", retry: true)
        case CURLE_COULDNT_CONNECT: return make(.network, "The server cannot be reached.", retry: true)
        case CURLE_OPERATION_TIMEDOUT: return make(.timeout, "The connection took too long.", retry: true)
        case CURLE_PARTIAL_FILE, CURLE_HTTP2_STREAM:
            return make(.incompleteBody, "The body ended before its stated length.", retry: true)
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
            CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS:
            return make(.tls, "The connection cannot be made safe.")
        case CURLE_OUT_OF_MEMORY: return make(.outOfMemory, "There is no memory for the transfer.", retry: true)
        case CURLE_RECV_ERROR where status != 0:
            return make(.incompleteBody, "The connection broke within the body.", retry: true)
        default: return make(.network, "The transfer failed.", retry: true)
        }
    }
}
