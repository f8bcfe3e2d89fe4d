// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WITestKit

@testable import WICore

private final class RecordingObserver: ManagerObserver {
    private struct State: Sendable {
        var open: [UInt64: ObservedStage] = [:]
        var ended: [(ObservedStage, ObservedOutcome)] = []
        var problems: [String] = []
    }
    private let state = Locked(State())
    /// Passed at the end of each load.
    let loads = Gate(isOpen: true)

    var problems: [String] { state.withLock { $0.problems + $0.open.values.map { "\($0.kind) never ends" } } }
    func count(_ kind: ObservedStage.Kind) -> Int {
        state.withLock { $0.ended.filter { $0.0.kind == kind }.count }
    }

    func began(_ stage: ObservedStage) {
        state.withLock { state in
            if state.open.updateValue(stage, forKey: stage.number) != nil {
                state.problems.append("a number twice")
            }
        }
    }

    func ended(_ stage: ObservedStage, after duration: Duration, _ outcome: ObservedOutcome) {
        state.withLock { state in
            if state.open.removeValue(forKey: stage.number) == nil {
                state.problems.append("\(stage.kind) ends twice")
            }
            state.ended.append((stage, outcome))
        }
        if stage.kind == .load { Task { await loads.pass() } }
    }
}

@Suite(.timeLimit(.minutes(5))) struct ManagerObserverTests {
    @Test func everyStageThatBeginsEndsOnce() async throws {
        let observer = RecordingObserver()
        let stage = ManagerStage { $0.observer = observer }
        let painted = ImageRequest(stage.url, context: [.set(.transformer, Paint(value: 7))])
        _ = try await stage.manager.image(for: painted)
        await stage.manager.drain()
        _ = try await stage.manager.image(for: painted)
        _ = try? await stage.manager.image(for: ImageRequest("http://host/missing.toy"))
        _ = try? await stage.manager.image(for: ImageRequest(""))
        await stage.manager.drain()
        #expect(observer.problems.isEmpty)
        #expect(observer.count(.request) == 4)
        #expect(observer.count(.query) == 3)
        #expect(observer.count(.load) == 2)
        #expect(observer.count(.decode) == 1)
        #expect(observer.count(.transform) == 1)
        #expect(observer.count(.store) == 1)
    }

    @Test func cancelledWorkEndsItsStagesToo() async throws {
        let observer = RecordingObserver()
        let stage = ManagerStage(isOpen: false) { $0.observer = observer }
        let task = stage.manager.task(for: ImageRequest(stage.url))
        await stage.loader.gate.waitForArrivals(1)
        task.cancel()
        await stage.manager.shutdown()
        await observer.loads.waitForArrivals(1)
        #expect(observer.problems.isEmpty)
        #expect(observer.count(.request) == 1)
    }

    @Test func theCountersAddUp() async throws {
        let counters = ManagerCounters()
        let stage = ManagerStage { $0.observer = counters }
        _ = try await stage.manager.image(for: ImageRequest(stage.url))
        await stage.manager.drain()
        for _ in 0..<2 { _ = try await stage.manager.image(for: ImageRequest(stage.url)) }
        stage.cache.clearMemory()
        _ = try await stage.manager.image(for: ImageRequest(stage.url))
        _ = try? await stage.manager.image(for: ImageRequest("http://host/missing.toy"))
        let counts = counters.snapshot
        #expect(counts.hits == [.loader: 1, .memory: 2, .disk: 1])
        #expect(counts.failures == [.httpStatus: 1])
        #expect(counts.running == 0)
        #expect(counts.loads == 1)
        #expect(counts.loadedBytes == 10)
        #expect(counts.decodes.reduce(0, +) == 2)
        let text = counters.prometheusText
        #expect(text.contains("webimage_hits_total{origin=\"memory\"} 2\n"))
        #expect(text.contains("webimage_failures_total{code=\"httpStatus\"} 1\n"))
        #expect(text.contains("webimage_decode_seconds_bucket{le=\"+Inf\"} 2\n"))
        #expect(text.contains("# TYPE webimage_decode_seconds histogram\n"))
    }
}
