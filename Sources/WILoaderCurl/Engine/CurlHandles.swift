// SPDX-License-Identifier: MIT
internal import CurlShim

/// Owner of a multi handle: the transfers of one thread, their connections, their names and TLS sessions.
///
/// `@unchecked Sendable`: all calls but `wakeUp` come from the thread of one `CurlLoop`; libcurl allows that one from any.
final class CurlMulti: @unchecked Sendable {
    private let raw: UnsafeMutableRawPointer

    /// Nil when there is no memory.
    init?(connections: Int) {
        guard let raw = wi_multi_init() else { return nil }
        self.raw = raw
        wi_multi_set_long(raw, CURLMOPT_MAXCONNECTS, connections)
    }

    deinit { wi_multi_cleanup(raw) }

    func wakeUp() { wi_multi_wakeup(raw) }

    func add(_ easy: CurlEasy) -> Bool { wi_multi_add(raw, easy.raw) == CURLM_OK }
    func remove(_ easy: CurlEasy) { wi_multi_remove(raw, easy.raw) }
    func perform() { wi_multi_perform(raw) }

    /// Waits until something happens, somebody wakes it or the time is over.
    func poll(milliseconds: Int32) { wi_multi_poll(raw, milliseconds) }

    /// The next transfer that has ended, as the context that its handle was given.
    func nextEnded() -> (context: UnsafeMutableRawPointer, code: CURLcode)? {
        var easy: UnsafeMutableRawPointer?
        var code = CURLE_OK
        while wi_multi_next_done(raw, &easy, &code) {
            if let context = easy.flatMap({ wi_easy_context($0) }) { return (context, code) }
        }
        return nil
    }
}

/// Owner of the cookies of one loader.
final class CookieJar {
    fileprivate let raw: UnsafeMutableRawPointer

    /// Nil when there is no memory.
    init?() {
        guard let raw = wi_share_new_cookies() else { return nil }
        self.raw = raw
    }

    deinit { wi_share_free(raw) }
}

/// Owner of an easy handle, and of what must live as long as its transfer: the fields and the text of an error.
final class CurlEasy {
    let raw: UnsafeMutableRawPointer
    private let errorText: UnsafeMutablePointer<CChar>
    private var fields: UnsafeMutablePointer<curl_slist>?
    private var fieldLines: [String] = []
    /// Kept as long as the handle has it.
    private let jar: CookieJar?
    /// Whether it was given something that makes somebody known: such a handle is not used for another transfer.
    var isPersonal = false

    /// Nil when there is no memory.
    init?(_ jar: CookieJar?) {
        guard let raw = wi_easy_init() else { return nil }
        self.raw = raw
        self.jar = jar
        if let jar { wi_easy_set_share(raw, jar.raw) }
        errorText = .allocate(capacity: Int(wi_curl_error_size))
        errorText.initialize(repeating: 0, count: Int(wi_curl_error_size))
    }

    deinit {
        wi_easy_cleanup(raw)
        errorText.deallocate()
        wi_list_free(fields)
    }

    /// Forgets what belonged to one transfer; the options that are the same for all stay.
    func clear() {
        wi_easy_set_string(raw, CURLOPT_URL, nil)
        wi_easy_set_context(raw, nil)
        errorText[0] = 0
    }

    func set(_ option: CURLoption, _ value: Int) { wi_easy_set_long(raw, option, value) }

    /// False when the library does not know the option or has no memory; it copies the text.
    @discardableResult
    func set(_ option: CURLoption, _ value: String) -> Bool {
        wi_easy_set_string(raw, option, value) == CURLE_OK
    }

    /// Sets the header fields; those of one transfer are mostly those of the one before.
    ///
    /// False when there is no memory.
    func setFields(_ lines: [String]) -> Bool {
        guard lines != fieldLines else { return true }
        wi_easy_set_list(raw, CURLOPT_HTTPHEADER, nil)
        wi_list_free(fields)
        fields = nil
        fieldLines = lines
        for line in lines {
            guard let longer = wi_list_append(fields, line) else {
                fieldLines = []
                return false
            }
            fields = longer
        }
        wi_easy_set_list(raw, CURLOPT_HTTPHEADER, fields)
        return true
    }

    func setErrorText() { wi_easy_set_error_buffer(raw, errorText) }

    /// What libcurl says about the code, with the particulars where it has some.
    func text(for code: CURLcode) -> String {
        errorText[0] == 0 ? String(cString: wi_easy_error(code)) : String(cString: errorText)
    }

    /// Lets a paused transfer go on; what libcurl kept is handed over within this call.
    func resume() -> CURLcode { wi_easy_resume(raw) }
}
