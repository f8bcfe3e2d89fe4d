// SPDX-License-Identifier: MIT
internal import Dispatch
internal import WebImage

/// Runs async work from the process's first thread, which is none of the cooperative pool's and may wait.
func waitFor(_ body: @escaping @Sendable () async -> Void) {
    let done = DispatchSemaphore(value: 0)
    Task.detached {
        await body()
        done.signal()
    }
    done.wait()
}
