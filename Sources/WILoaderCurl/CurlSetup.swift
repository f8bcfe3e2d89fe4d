// SPDX-License-Identifier: MIT
internal import CurlShim
internal import FoundationEssentials
internal import WICore

/// Sets one handle up for one transfer. Called on the engine's thread.
struct CurlSetup {
    private let configuration: CurlLoaderConfiguration
    private let transfer: CurlTransfer
    private let easy: UnsafeMutableRawPointer

    init(_ configuration: CurlLoaderConfiguration, _ transfer: CurlTransfer, _ easy: UnsafeMutableRawPointer) {
        self.configuration = configuration
        self.transfer = transfer
        self.easy = easy
    }

    func apply() {
        let request = transfer.request
        string(CURLOPT_URL, request.url.absoluteString)
        number(CURLOPT_NOSIGNAL, 1)
        // Leaving during name resolution must not wait for the resolver.
        number(CURLOPT_QUICK_EXIT, 1)
        setRedirects()
        number(CURLOPT_CONNECTTIMEOUT_MS, milliseconds(configuration.connectTimeout))
        number(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
        number(CURLOPT_PIPEWAIT, 1)
        number(CURLOPT_BUFFERSIZE, 256 << 10)
        number(CURLOPT_HTTP09_ALLOWED, 0)
        string(CURLOPT_USERAGENT, configuration.userAgent)
        if let file = configuration.certificateFile { string(CURLOPT_CAINFO, file) }
        if request.allowsInvalidCertificates {
            number(CURLOPT_SSL_VERIFYPEER, 0)
            number(CURLOPT_SSL_VERIFYHOST, 0)
        }
        setFields(request)
        wi_easy_set_sinks(easy, takeHeader, takeBody, Unmanaged.passUnretained(transfer).toOpaque())
    }

    /// http and https alone, also after a redirect; credentials stay with the host that they are for.
    private func setRedirects() {
        number(CURLOPT_FOLLOWLOCATION, 1)
        number(CURLOPT_MAXREDIRS, configuration.maximumRedirects)
        number(CURLOPT_UNRESTRICTED_AUTH, 0)
        if wi_easy_set_string(easy, CURLOPT_PROTOCOLS_STR, "http,https") != CURLE_OK {
            number(CURLOPT_PROTOCOLS, 3)
        }
        if wi_easy_set_string(easy, CURLOPT_REDIR_PROTOCOLS_STR, "http,https") != CURLE_OK {
            number(CURLOPT_REDIR_PROTOCOLS, 3)
        }
    }

    private func setFields(_ request: LoadRequest) {
        var fields = request.headers.fields
        if let tag = request.validators.entityTag { fields.append(.init(name: "If-None-Match", value: tag)) }
        if let date = request.validators.lastModified { fields.append(.init(name: "If-Modified-Since", value: date)) }
        for field in fields {
            // A line break in a value would be a field of its own.
            let line = "\(field.name): \(field.value)"
            guard !line.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { continue }
            transfer.fields = wi_list_append(transfer.fields, field.value.isEmpty ? "\(field.name);" : line)
        }
        if let fields = transfer.fields { wi_easy_set_list(easy, CURLOPT_HTTPHEADER, fields) }
    }

    private func number(_ option: CURLoption, _ value: Int) { wi_easy_set_long(easy, option, value) }
    private func string(_ option: CURLoption, _ value: String) { wi_easy_set_string(easy, option, value) }

    private func milliseconds(_ duration: Duration) -> Int {
        let parts = duration.components
        return max(1, Int(clamping: parts.seconds &* 1000 &+ parts.attoseconds / 1_000_000_000_000_000))
    }
}

private func bytes(_ pointer: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: pointer, count: size * count)
}

private let takeHeader: wi_curl_sink = { pointer, size, count, context in
    guard let context else { return 0 }
    Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue().takeHeader(bytes(pointer, size, count))
    return size * count
}

private let takeBody: wi_curl_sink = { pointer, size, count, context in
    guard let context else { return 0 }
    return Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue().takeBody(bytes(pointer, size, count))
}
