// SPDX-License-Identifier: MIT
internal import WebImage

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// What ends the process from outside: its temporary files go first, then it ends as if nothing had been done.
enum Interruption {
    private static let signals = [SIGINT, SIGTERM, SIGHUP]
    /// Whether whoever started the process wanted closed pipes to be errors.
    private static let ignoresPipes = Locked(false)

    /// Waits for the signals on a thread of its own. To be called before any other thread is made, for threads inherit which
    /// signals they leave to others.
    static func watch() {
        // A write to a closed pipe is then an error, which is noticed where it is made.
        ignoresPipes.withLock { $0 = isIgnored(SIGPIPE) }
        signal(SIGPIPE, SIG_IGN)
        var set = sigset_t()
        sigemptyset(&set)
        for number in signals where !isIgnored(number) { sigaddset(&set, number) }
        pthread_sigmask(SIG_BLOCK, &set, nil)
        let waited = set
        let status = DetachedThread.start {
            var waited = waited
            var number: Int32 = 0
            guard sigwait(&waited, &number) == 0 else { return }
            end(by: number)
        }
        if status != 0 { pthread_sigmask(SIG_UNBLOCK, &set, nil) }
    }

    /// Nobody reads standard output any more: the usual end of a command in a pipe, unless that is to be an error.
    static func outputIsClosed() {
        if !ignoresPipes.withLock({ $0 }) { end(by: SIGPIPE) }
    }

    /// Removes what is temporary and ends the process by the signal, so that its parent sees why.
    private static func end(by number: Int32) {
        Leftovers.shared.remove()
        signal(number, SIG_DFL)
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, number)
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
        raise(number)
    }

    /// Whoever started the process may have asked it to live on, as `nohup` does.
    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        #if canImport(Darwin)
            return unsafeBitCast(action.__sigaction_u.__sa_handler, to: Int.self) == 1
        #else
            return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
        #endif
    }
}
