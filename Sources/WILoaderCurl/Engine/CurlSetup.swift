// SPDX-License-Identifier: MIT
internal import CurlShim
internal import FoundationEssentials
internal import WICore

/// Sets handles up, on the loop's thread: once for what is the same for all transfers, then for each one.
final class CurlSetup {
    private let configuration: CurlLoaderConfiguration
    private let jar: CookieJar?
    /// Whether a handle could not be made because libcurl is too old.
    private(set) var needsNewLibrary = false

    init(_ configuration: CurlLoaderConfiguration) {
        self.configuration = configuration
        jar = configuration.handlesCookies ? CookieJar() : nil
    }

    /// Nil when there is no memory, or libcurl cannot keep a policy.
    func makeHandle() -> CurlEasy? {
        guard let easy = CurlEasy(jar) else { return nil }
        easy.set(CURLOPT_NOSIGNAL, 1)
        // Leaving during name resolution must not wait for the resolver.
        easy.set(wi_curlopt_quick_exit, 1)
        easy.setErrorText()
        setSchemes(easy)
        easy.set(CURLOPT_CONNECTTIMEOUT_MS, max(1, configuration.connectTimeout.wholeMilliseconds))
        easy.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
        // More makes large bodies no faster, and small ones slower: it is filled anew from the processor's far memory.
        easy.set(CURLOPT_BUFFERSIZE, 32 << 10)
        easy.set(CURLOPT_HTTP09_ALLOWED, 0)
        easy.set(CURLOPT_USERAGENT, configuration.userAgent)
        setWay(easy)
        wi_easy_set_sinks(easy.raw, takeHeader, takeBody)
        wi_easy_set_socket_gate(easy.raw, openSocket)
        // A policy that cannot be kept is no policy.
        guard configuration.addressPolicy.isUnrestricted || setAddressPolicy(easy) else {
            needsNewLibrary = true
            return nil
        }
        return easy
    }

    private func setWay(_ easy: CurlEasy) {
        // A proxy's answer to CONNECT is not the server's.
        easy.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        switch configuration.proxy {
        case .environment: break
        case .none: easy.set(CURLOPT_PROXY, "")
        case .url(let text): easy.set(CURLOPT_PROXY, text)
        }
        if let path = configuration.unixSocket { easy.set(CURLOPT_UNIX_SOCKET_PATH, path) }
        if let file = configuration.certificateFile { easy.set(CURLOPT_CAINFO, file) }
        if jar != nil { easy.set(CURLOPT_COOKIEFILE, "") }
    }

    /// False where libcurl is older than 7.80, or there is no memory.
    private func setAddressPolicy(_ easy: CurlEasy) -> Bool {
        // A proxy would choose the address.
        easy.set(CURLOPT_PROXY, "") && wi_easy_set_request_gate(easy.raw, judgeConnection)
    }

    /// http and https alone. Redirects are followed by the loop: each is judged, and counts for its own host.
    private func setSchemes(_ easy: CurlEasy) {
        easy.set(CURLOPT_FOLLOWLOCATION, 0)
        if !easy.set(wi_curlopt_protocols_str, "http,https") {
            easy.set(CURLOPT_PROTOCOLS, wi_curl_http_and_https)
        }
    }

    /// All that differs between transfers, each time; false when there is no memory.
    func prepare(_ easy: CurlEasy, for transfer: CurlTransfer) -> Bool {
        let request = transfer.request
        guard easy.set(CURLOPT_URL, transfer.hop.text) else { return false }
        // Rather wait for a handshake to tell that streams can be shared than open more connections. Without TLS that
        // would be a wait for the first answer, and one server's silence would be everybody's.
        easy.set(CURLOPT_PIPEWAIT, transfer.hop.usesTLS ? 1 : 0)
        easy.set(CURLOPT_SSL_VERIFYPEER, request.allowsInvalidCertificates ? 0 : 1)
        easy.set(CURLOPT_SSL_VERIFYHOST, request.allowsInvalidCertificates ? 0 : 2)
        guard easy.setFields(transfer.lines) else { return false }
        setIdentity(easy, transfer.hop)
        wi_easy_set_context(easy.raw, Unmanaged.passUnretained(transfer).toOpaque())
        return true
    }

    private func setIdentity(_ easy: CurlEasy, _ hop: Hop) {
        if case .digest(let user, let password) = hop.digest?.kind {
            easy.isPersonal = true
            easy.set(CURLOPT_HTTPAUTH, wi_curl_digest)
            easy.set(CURLOPT_USERNAME, user)
            easy.set(CURLOPT_PASSWORD, password)
        }
        if let certificate = hop.certificate {
            easy.isPersonal = true
            easy.set(CURLOPT_SSLCERT, certificate.certificateFile)
            if let file = certificate.keyFile { easy.set(CURLOPT_SSLKEY, file) }
            if let password = certificate.password { easy.set(CURLOPT_KEYPASSWD, password) }
        }
    }
}

extension Duration {
    /// Rounded up, and held within a day.
    var wholeMilliseconds: Int {
        let day = Duration.seconds(86_400)
        let (seconds, attoseconds) = min(max(self, .zero), day).components
        return Int(seconds) * 1000 + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}

private let takeHeader: wi_curl_sink = { pointer, size, count, context in
    guard let context else { return 0 }
    let line = UnsafeRawBufferPointer(start: pointer, count: size * count)
    return Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue().takeHeader(line) ? line.count : 0
}

private let takeBody: wi_curl_sink = { pointer, size, count, context in
    guard let context else { return 0 }
    let bytes = UnsafeRawBufferPointer(start: pointer, count: size * count)
    return Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue().takeBody(bytes)
}

private let openSocket: wi_curl_socket_gate = { context, _, address in
    guard let context, let address else { return CURL_SOCKET_BAD }
    let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
    let target = withUnsafeTemporaryAllocation(byteCount: 16, alignment: 1) { bytes in
        let count = Int(wi_socket_address(address, bytes.baseAddress))
        return IPAddress(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[..<count]))
    }
    return transfer.mayConnect(to: target) ? wi_open_socket(address) : CURL_SOCKET_BAD
}

private let judgeConnection: wi_curl_request_gate = { context, address, _, _, _ in
    guard let context, let address else { return 1 }
    let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
    return transfer.maySend(to: IPAddress(String(cString: address))) ? 0 : 1
}
