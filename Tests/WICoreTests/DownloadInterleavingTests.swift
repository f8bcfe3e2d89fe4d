// SPDX-License-Identifier: MIT
import Testing

@testable import WICore

/// Walks every order in which subscribers come and go while one load runs and ends.
@Suite struct DownloadInterleavingTests {
    private struct Model: Hashable {
        var machine = DownloadMachine()
        var isLoading = false
        var isKept = false
        var starts = 0
        var live: Set<SubscriberID> = []
        var delivered: [SubscriberID: Int] = [:]
        var joins = 0
        var problem: String?

        mutating func join() {
            let id = SubscriberID(number: UInt64(joins))
            joins += 1
            let (accepted, actions) = machine.join(id, .normal)
            if accepted { live.insert(id) }
            perform(actions)
        }

        mutating func perform(_ actions: [DownloadMachine.Action]) {
            for action in actions {
                switch action {
                case .start:
                    if isLoading || starts > 0 { problem = "starts twice" }
                    isLoading = true
                    starts += 1
                case .cancel:
                    if !isLoading || !live.isEmpty {
                        problem = "cancels what somebody wants, or what has ended"
                    }
                    isLoading = false
                case .deliver(let ids):
                    for id in ids {
                        delivered[id, default: 0] += 1
                        if !live.contains(id) { problem = "delivers to one who left" }
                        if !isKept { live.remove(id) }
                    }
                case .retire, .setPriority: break
                }
            }
            if machine.hasEnded, !live.isEmpty { problem = "has ended with subscribers" }
            if delivered.values.contains(where: { $0 > 1 }) { problem = "delivers twice" }
            if !machine.hasEnded, starts > 0, !isLoading, live.isEmpty { problem = "is kept for nobody" }
            if isKept, live.contains(where: { delivered[$0] == nil }) {
                problem = "lets one wait for what is there"
            }
        }

        var successors: [Model] {
            var next: [Model] = []
            if joins < 4 { next.append(with { $0.join() }) }
            if isLoading {
                for keeps in [true, false] {
                    next.append(
                        with { model in
                            model.isLoading = false
                            model.isKept = keeps
                            model.perform(model.machine.handle(.ended(keeps: keeps)))
                        })
                }
            }
            for id in live {
                next.append(
                    with { model in
                        model.live.remove(id)
                        model.perform(model.machine.handle(.leave(id)))
                    })
                next.append(with { $0.perform($0.machine.handle(.setPriority(.high, id))) })
            }
            return next
        }

        func with(_ change: (inout Model) -> Void) -> Model {
            var copy = self
            change(&copy)
            return copy
        }
    }

    @Test func everySubscriberIsServedOnceOrHasLeft() {
        var seen: Set<Model> = []
        var open = [Model()]
        while let model = open.popLast() {
            guard seen.insert(model).inserted else { continue }
            #expect(model.problem == nil)
            if model.problem == nil { open += model.successors }
        }
        #expect(seen.count > 100)
    }
}
