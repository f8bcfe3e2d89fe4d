// SPDX-License-Identifier: MIT
internal import CurlShim
internal import FoundationEssentials
internal import WICore

/// What time it is for the loop and its transfers: looked up once a round.
final class LoopClock {
    fileprivate(set) var now: Duration

    fileprivate init(_ now: Duration) { self.now = now }
}

/// The event loop: everything that belongs to the loader's thread alone.
final class CurlLoop {
    private let engine: CurlEngine
    private let multi: CurlMulti
    private let configuration: CurlLoaderConfiguration
    private let handles: HandlePool
    private var transfers: [TransferQueue.ID: CurlTransfer] = [:]
    private var queue: TransferQueue
    private var isSuspended = false
    private var rate: StartRate?
    /// Nothing is due before; to look earlier would cost more, with many transfers.
    private var nextDeadline: Duration?
    private let clock: LoopClock

    init(_ engine: CurlEngine, _ multi: CurlMulti) {
        self.engine = engine
        self.multi = multi
        configuration = engine.configuration
        handles = HandlePool(configuration)
        clock = LoopClock(engine.time.monotonic())
        rate = StartRate(perSecond: configuration.maximumStartsPerSecond)
        queue = TransferQueue(
            total: configuration.maximumTransfers, perHost: configuration.maximumTransfersPerHost,
            isLIFO: configuration.order == .lastInFirstOut)
        takeControl()
    }

    /// Returns once the engine was stopped, all transfers ended and their handles freed.
    func run() {
        while let commands = engine.takeCommands() {
            clock.now = engine.time.monotonic()
            for command in commands { perform(command) }
            startWaiting()
            multi.perform()
            while let (context, code) = multi.nextEnded() {
                conclude(Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue(), code)
            }
            let wait = actOnTime()
            // What ended has made room; who waits for that does not wait for the network.
            if startWaiting() == 0, engine.mayWait() { multi.poll(milliseconds: wait) }
        }
        endAll(.shutDownLoader)
    }

    private func perform(_ command: CurlEngine.Command) {
        switch command {
        case .start(let transfer): enqueue(transfer)
        case .cancel(let id):
            guard let transfer = transfers[id] else { return }
            end(transfer, .failure(.cancelled(.load, url: transfer.request.url)))
        case .cancelAll: endAll(.cancelled(.load))
        case .resume(let id): resume(id)
        case .setPriority(let priority, let id):
            transfers[id]?.priority = priority
            queue.setPriority(priority, of: id)
        case .control: takeControl()
        }
    }

    private func takeControl() {
        let control = engine.control
        isSuspended = control.isSuspended
        queue.setCaps(total: control.total, perHost: control.perHost)
    }

    private func enqueue(_ transfer: CurlTransfer) {
        // Cancelled before it came here.
        guard !transfer.end.hasCome else { return }
        transfers[transfer.id] = transfer
        queue.add(transfer.id, host: transfer.hop.host, transfer.priority)
        watch(transfer.times.deadline)
    }

    /// How many were started.
    @discardableResult
    private func startWaiting() -> Int {
        guard !isSuspended else { return 0 }
        let allowance = rate?.allowance(clock.now) ?? .max
        let started = queue.start(atMost: allowance)
        for id in started { start(id) }
        rate?.take(started.count)
        if started.count == allowance, queue.waitingCount > 0, let next = rate?.next { watch(at: next) }
        return started.count
    }

    private func start(_ id: TransferQueue.ID) {
        guard let transfer = transfers[id] else { return }
        let easy = handles.take()
        transfer.easy = easy
        transfer.start(clock)
        if let easy, handles.setup.prepare(easy, for: transfer), multi.add(easy) {
            watch(transfer.times.deadline)
        } else {
            end(transfer, .failure(handles.failure(transfer.request.url)))
        }
    }

    private func resume(_ id: TransferQueue.ID) {
        guard let transfer = transfers[id], transfer.isPaused, let easy = transfer.easy else { return }
        transfer.resume(clock.now)
        watch(transfer.times.deadline)
        // What libcurl kept is written within this call; it then tells a refusal to the caller alone.
        let code = easy.resume()
        if code != CURLE_OK { conclude(transfer, code) }
    }

    /// An exchange has ended: with it the transfer, or there is another one.
    private func conclude(_ transfer: CurlTransfer, _ code: CURLcode) {
        switch CurlOutcome(transfer, code, engine).step {
        case .success(let result): end(transfer, .success(result))
        case .failure(let error, let failure):
            takeHandle(from: transfer)
            let random = engine.random()
            guard transfer.retry(after: error, failure, now: clock.now, random: random) else {
                return end(transfer, .failure(error))
            }
            queue.remove(transfer.id)
            watch(transfer.times.deadline)
        case .follow(let hop):
            takeHandle(from: transfer)
            transfer.follow(hop)
            queueAgain(transfer)
        case .restart:
            takeHandle(from: transfer)
            transfer.restart()
            queueAgain(transfer)
        }
    }

    /// It has waited for its turn already.
    private func queueAgain(_ transfer: CurlTransfer) {
        queue.remove(transfer.id)
        queue.add(transfer.id, host: transfer.hop.host, transfer.priority, isFirst: true)
        watch(transfer.times.deadline)
    }

    private func takeHandle(from transfer: CurlTransfer) {
        guard let easy = transfer.easy else { return }
        if transfer.observers.areThere { transfer.metrics.collect(easy) }
        transfer.easy = nil
        multi.remove(easy)
        handles.giveBack(easy)
    }

    private func end(_ transfer: CurlTransfer, _ answer: CurlTransfer.Answer) {
        transfers[transfer.id] = nil
        queue.remove(transfer.id)
        takeHandle(from: transfer)
        tellEnd(of: transfer, answer)
        transfer.sink = nil
        transfer.end.finish(answer)
    }

    private func endAll(_ error: ImageError) {
        for transfer in transfers.values.sorted(by: { $0.id < $1.id }) {
            end(transfer, .failure(error.naming(transfer.request.url)))
        }
    }

    private func tellEnd(of transfer: CurlTransfer, _ answer: CurlTransfer.Answer) {
        guard transfer.observers.areThere else { return }
        let metrics = transfer.metrics.result(clock.now, bodyBytes: transfer.sink?.receivedCount ?? 0)
        switch answer {
        case .success:
            transfer.observers.tell(transfer, .stopped(metrics, nil))
            transfer.observers.tell(transfer, .finished)
        case .failure(let error): transfer.observers.tell(transfer, .stopped(metrics, error))
        }
    }

    // MARK: - Time

    private func watch(_ deadline: TransferTimes.Deadline?) {
        if let deadline { watch(at: deadline.at) }
    }

    private func watch(at time: Duration) { nextDeadline = min(nextDeadline ?? time, time) }

    /// Does what is due; gives the milliseconds until the next thing may be.
    private func actOnTime() -> Int32 {
        guard let deadline = nextDeadline else { return 60_000 }
        let now = clock.now
        if deadline <= now {
            nextDeadline = nil
            for transfer in Array(transfers.values) { actOnTime(transfer, now) }
            if queue.waitingCount > 0, let next = rate?.next, next > now { watch(at: next) }
        }
        return Int32(clamping: min(60_000, ((nextDeadline ?? now + .seconds(60)) - now).wholeMilliseconds))
    }

    private func actOnTime(_ transfer: CurlTransfer, _ now: Duration) {
        guard let due = transfer.times.deadline else { return }
        guard due.at <= now else { return watch(at: due.at) }
        switch due.kind {
        case .retry:
            transfer.times.stop()
            queueAgain(transfer)
        case .lowSpeed where transfer.times.isFastEnough(now): watch(transfer.times.deadline)
        default: end(transfer, .failure(.timeout(transfer.request.url, due)))
        }
    }
}
