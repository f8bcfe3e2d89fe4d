// SPDX-License-Identifier: MIT
internal import CurlShim
internal import FoundationEssentials
internal import RuntimeShim
internal import WICore

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// One libcurl multi handle on a thread of its own, which starts with the first transfer and ends with the loader.
///
/// Others speak to it through a queue of commands; everything else belongs to the thread.
/// `@unchecked Sendable`: `multi` is made before the thread starts and only woken from elsewhere; `transfers`, `queue` and
/// `idle` are touched by the thread alone.
final class CurlEngine: @unchecked Sendable {
    enum Command: Sendable {
        case start(CurlTransfer)
        case cancel(TransferQueue.ID)
        case resume(TransferQueue.ID)
        case setPriority(LoadPriority, TransferQueue.ID)
        case stop
    }

    private struct Mailbox: Sendable {
        var commands: [Command] = []
        var hasThread = false
        var isStopped = false
        var hasEnded = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let configuration: CurlLoaderConfiguration
    private let time: TimeSource
    private let mailbox = Locked(Mailbox())
    private let multi: OpaquePointer
    private var transfers: [TransferQueue.ID: CurlTransfer] = [:]
    private var queue: TransferQueue
    private var idle: [OpaquePointer] = []

    /// Nil when libcurl cannot be opened.
    init?(_ configuration: CurlLoaderConfiguration, _ time: TimeSource) {
        guard wi_curl_open(), let multi = wi_multi_init() else { return nil }
        self.configuration = configuration
        self.time = time
        self.multi = OpaquePointer(multi)
        queue = TransferQueue(
            total: configuration.maximumTransfers, perHost: configuration.maximumTransfersPerHost)
        wi_multi_set_long(multi, CURLMOPT_MAXCONNECTS, CLong(max(32, configuration.maximumTransfers)))
    }

    deinit { wi_multi_cleanup(UnsafeMutableRawPointer(multi)) }

    private var raw: UnsafeMutableRawPointer { UnsafeMutableRawPointer(multi) }

    /// Gives the thread something to do; false when the engine was stopped.
    @discardableResult
    func send(_ command: Command) -> Bool {
        let (accepted, startsThread) = mailbox.withLock { mailbox -> (Bool, Bool) in
            guard !mailbox.isStopped else { return (false, false) }
            var isStop = false
            if case .stop = command { isStop = true }
            if isStop {
                mailbox.isStopped = true
                if !mailbox.hasThread { mailbox.hasEnded = true }
            }
            mailbox.commands.append(command)
            defer { if !isStop { mailbox.hasThread = true } }
            return (true, !mailbox.hasThread && !isStop)
        }
        if startsThread { startThread() } else { wi_multi_wakeup(raw) }
        return accepted
    }

    /// Ends all transfers and the thread, and waits for that.
    func stop() async {
        send(.stop)
        await withCheckedContinuation { continuation in
            let hasEnded = mailbox.withLock { mailbox in
                if !mailbox.hasEnded { mailbox.waiting.append(continuation) }
                return mailbox.hasEnded
            }
            if hasEnded { continuation.resume() }
        }
    }

    // MARK: - The thread

    private func startThread() {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        #if canImport(Darwin)
        var thread: pthread_t?
        #else
        var thread = pthread_t()
        #endif
        let box = Unmanaged.passRetained(self)
        let status = pthread_create(&thread, &attributes, { argument in
            #if canImport(Darwin)
            let pointer = argument
            #else
            guard let pointer = argument else { return nil }
            #endif
            Unmanaged<CurlEngine>.fromOpaque(pointer).takeRetainedValue().run()
            return nil
        }, box.toOpaque())
        pthread_attr_destroy(&attributes)
        guard status != 0 else { return }
        box.release()
        endAll(ImageError(
            .network, stage: .load, "The system gives no thread for transfers.", isRetryable: true,
            underlying: String(cString: strerror(status))))
    }

    private func run() {
        wi_thread_set_name("webimage-curl")
        wi_thread_block_sigpipe()
        while perform(takeCommands()) {
            for id in queue.start() { begin(id) }
            wi_multi_perform(raw)
            finishDone()
            let wait = expireAndWait()
            // What ended may have made room; who waits for it does not wait for the network.
            if queue.waitingCount == 0 || queue.start().map(begin).isEmpty { wi_multi_poll(raw, wait) }
        }
        endAll(.shutDownLoader)
        for easy in idle { wi_easy_cleanup(UnsafeMutableRawPointer(easy)) }
        idle = []
    }

    private func takeCommands() -> [Command] {
        mailbox.withLock { mailbox in
            defer { mailbox.commands = [] }
            return mailbox.commands
        }
    }

    /// False when the thread is to end.
    private func perform(_ commands: [Command]) -> Bool {
        for command in commands {
            switch command {
            case .start(let transfer): enqueue(transfer)
            case .cancel(let id):
                if let transfer = transfers[id] { end(transfer, .failure(.cancelled(.load, url: transfer.request.url))) }
            case .resume(let id): resume(id)
            case .setPriority(let priority, let id): queue.setPriority(priority, of: id)
            case .stop:
                return false
            }
        }
        return true
    }

    private func enqueue(_ transfer: CurlTransfer) {
        // Cancelled before it came here.
        guard !transfer.isFinished else { return }
        transfers[transfer.id] = transfer
        queue.add(transfer.id, host: transfer.host, transfer.request.priority)
    }

    private func begin(_ id: TransferQueue.ID) {
        guard let transfer = transfers[id] else { return }
        guard let easy = idle.popLast() ?? wi_easy_init().map({ OpaquePointer($0) }) else {
            end(transfer, .failure(ImageError(.outOfMemory, stage: .load, "There is no memory for a transfer.")))
            return
        }
        transfer.easy = easy
        transfer.startedAt = time.monotonic()
        transfer.lastActivity = transfer.startedAt
        CurlSetup(configuration, transfer, UnsafeMutableRawPointer(easy)).apply()
        wi_multi_add(raw, UnsafeMutableRawPointer(easy))
    }

    private func resume(_ id: TransferQueue.ID) {
        guard let transfer = transfers[id], transfer.isPaused, let easy = transfer.easy else { return }
        transfer.isPaused = false
        transfer.lastActivity = time.monotonic()
        wi_easy_resume(UnsafeMutableRawPointer(easy))
    }

    private func finishDone() {
        var easy: UnsafeMutableRawPointer?
        var code = CURLE_OK
        while wi_multi_next_done(raw, &easy, &code) {
            guard let context = easy.flatMap({ wi_easy_context($0) }) else { continue }
            let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
            end(transfer, CurlOutcome(transfer, code, configuration).result)
        }
    }

    /// Ends transfers whose time is over; gives the milliseconds until the next one's is.
    private func expireAndWait() -> Int32 {
        let now = time.monotonic()
        var next = Duration.seconds(60)
        for transfer in Array(transfers.values) where transfer.easy != nil {
            let inactivity = transfer.request.inactivityTimeout ?? configuration.inactivityTimeout
            var left = transfer.isPaused ? Duration.seconds(60) : transfer.lastActivity + inactivity - now
            var limit = inactivity
            if let total = transfer.request.totalTimeout, transfer.startedAt + total - now < left {
                left = transfer.startedAt + total - now
                limit = total
            }
            if left <= .zero {
                end(transfer, .failure(.timeout(transfer.request.url, after: limit, isTotal: limit != inactivity)))
            } else {
                next = min(next, left)
            }
        }
        let milliseconds = next.components.seconds * 1000 + next.components.attoseconds / 1_000_000_000_000_000
        return Int32(clamping: milliseconds + 1)
    }

    private func end(_ transfer: CurlTransfer, _ result: Result<LoadResult, ImageError>) {
        transfers[transfer.id] = nil
        queue.remove(transfer.id)
        if let easy = transfer.easy {
            let handle = UnsafeMutableRawPointer(easy)
            wi_multi_remove(raw, handle)
            wi_easy_reset(handle)
            if idle.count < 16 { idle.append(easy) } else { wi_easy_cleanup(handle) }
            transfer.easy = nil
        }
        if let fields = transfer.fields {
            wi_list_free(fields)
            transfer.fields = nil
        }
        transfer.finish(result)
    }

    private func endAll(_ error: ImageError) {
        for command in takeCommands() {
            if case .start(let transfer) = command { transfer.finish(.failure(error.naming(transfer.request.url))) }
        }
        for transfer in Array(transfers.values) { end(transfer, .failure(error.naming(transfer.request.url))) }
        let waiting = mailbox.withLock { mailbox in
            mailbox.isStopped = true
            mailbox.hasEnded = true
            defer { mailbox.waiting = [] }
            return mailbox.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}

extension ImageError {
    static let shutDownLoader = ImageError(.shutDown, stage: .load, "The loader was shut down; make another one.")

    static func timeout(_ url: URL, after limit: Duration, isTotal: Bool) -> ImageError {
        let what = isTotal ? "The load took longer than" : "Nothing came for"
        return ImageError(.timeout, stage: .load, "\(what) \(limit).", url: url, isRetryable: true)
    }
}
