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
    private var transfers: [TransferQueue.ID: CurlTransfer] = [:]
    private var queue: TransferQueue
    /// Handles without a transfer, for the next ones.
    private var idle: [CurlEasy] = []
    /// No transfer's time is over before; to look earlier would cost more, with many of them.
    private var nextDeadline: Duration?
    private let clock: LoopClock
    private static let mostIdle = 16

    init(_ engine: CurlEngine, _ multi: CurlMulti) {
        self.engine = engine
        self.multi = multi
        configuration = engine.configuration
        clock = LoopClock(engine.time.monotonic())
        queue = TransferQueue(
            total: configuration.maximumTransfers, perHost: configuration.maximumTransfersPerHost)
    }

    /// Returns once the engine was stopped, all transfers ended and their handles freed.
    func run() {
        while let commands = engine.takeCommands() {
            clock.now = engine.time.monotonic()
            for command in commands { perform(command) }
            startWaiting()
            multi.perform()
            while let (context, code) = multi.nextEnded() { takeEnded(context, code) }
            let wait = endLate()
            // What ended has made room; who waits for that does not wait for the network.
            if startWaiting() == 0 { multi.poll(milliseconds: wait) }
        }
        let error = ImageError.shutDownLoader
        for transfer in Array(transfers.values) {
            end(transfer, .failure(error.naming(transfer.request.url)))
        }
        idle = []
    }

    private func perform(_ command: CurlEngine.Command) {
        switch command {
        case .start(let transfer): enqueue(transfer)
        case .cancel(let id):
            guard let transfer = transfers[id] else { return }
            end(transfer, .failure(.cancelled(.load, url: transfer.request.url)))
        case .resume(let id): resume(id)
        case .setPriority(let priority, let id):
            transfers[id]?.priority = priority
            queue.setPriority(priority, of: id)
        }
    }

    private func enqueue(_ transfer: CurlTransfer) {
        // Cancelled before it came here.
        guard !transfer.end.hasCome else { return }
        transfers[transfer.id] = transfer
        queue.add(transfer.id, host: transfer.hop.host, transfer.request.priority)
        watch(transfer)
    }

    /// How many were started.
    @discardableResult
    private func startWaiting() -> Int {
        let started = queue.start()
        for id in started { start(id) }
        return started.count
    }

    private func start(_ id: TransferQueue.ID) {
        guard let transfer = transfers[id] else { return }
        let easy = idle.popLast() ?? CurlSetup(configuration).makeHandle()
        transfer.easy = easy
        transfer.startTime(clock)
        if let easy, CurlSetup(configuration).prepare(easy, for: transfer), multi.add(easy) {
            watch(transfer)
        } else {
            end(transfer, .failure(.outOfMemory(transfer.request.url)))
        }
    }

    private func resume(_ id: TransferQueue.ID) {
        guard let transfer = transfers[id], transfer.isPaused, let easy = transfer.easy else { return }
        transfer.isPaused = false
        transfer.touch()
        watch(transfer)
        // What libcurl kept is written within this call; it then tells a refusal to the caller alone.
        let code = easy.resume()
        if code != CURLE_OK { conclude(transfer, code) }
    }

    private func takeEnded(_ context: UnsafeMutableRawPointer, _ code: CURLcode) {
        let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
        conclude(transfer, code)
    }

    private func conclude(_ transfer: CurlTransfer, _ code: CURLcode) {
        switch CurlOutcome(transfer, code, configuration).step {
        case .end(let answer): end(transfer, answer)
        case .follow(let hop):
            takeHandle(from: transfer)
            queue.remove(transfer.id)
            transfer.follow(hop)
            // It has waited for its turn already.
            queue.add(transfer.id, host: hop.host, transfer.priority, isFirst: true)
        }
    }

    private func takeHandle(from transfer: CurlTransfer) {
        guard let easy = transfer.easy else { return }
        transfer.easy = nil
        multi.remove(easy)
        easy.clear()
        if idle.count < Self.mostIdle { idle.append(easy) }
    }

    private func end(_ transfer: CurlTransfer, _ answer: CurlTransfer.Answer) {
        transfers[transfer.id] = nil
        queue.remove(transfer.id)
        takeHandle(from: transfer)
        transfer.sink = nil
        transfer.end.finish(answer)
    }

    // MARK: - Time

    private func watch(_ transfer: CurlTransfer) {
        guard let deadline = transfer.deadline(inactivity: configuration.inactivityTimeout) else { return }
        nextDeadline = min(nextDeadline ?? deadline.at, deadline.at)
    }

    /// Ends transfers whose time is over; gives the milliseconds until the next one's may be.
    private func endLate() -> Int32 {
        guard let deadline = nextDeadline else { return 60_000 }
        let now = clock.now
        if deadline <= now {
            nextDeadline = nil
            for transfer in Array(transfers.values) {
                let due = transfer.deadline(inactivity: configuration.inactivityTimeout)
                if let due, due.at <= now {
                    end(
                        transfer,
                        .failure(.timeout(transfer.request.url, after: due.limit, isTotal: due.isTotal)))
                } else {
                    watch(transfer)
                }
            }
        }
        return Int32(clamping: min(60_000, ((nextDeadline ?? now + .seconds(60)) - now).wholeMilliseconds))
    }
}
