// SPDX-License-Identifier: MIT
internal import RuntimeShim
internal import WICore

/// Numbers in a small file that several processes change, by reading and writing it: a mapping would end the process when
/// somebody shortens the file.
///
/// A change is made under a lock on the number's bytes. What the file does not have reads as 0, and is there again after the
/// next change. Where there is no file, the numbers are this process's own.
final class SharedNumbers: Sendable {
    private struct Own: Sendable {
        var numbers: [Int64]
    }

    /// Nil where there is no file; closed with the object.
    private let descriptor: Int32?
    private let count: Int
    /// Threads of one process do not exclude each other by a lock on a file, so they take this one first.
    private let own: Locked<Own>

    /// `count` numbers in the file at `path`, which is made where it is missing. A link is not followed.
    init(path: String, count: Int) {
        let opened = wi_numbers_open(path, count)
        descriptor = opened >= 0 ? opened : nil
        self.count = count
        own = Locked(Own(numbers: opened >= 0 ? [] : [Int64](repeating: 0, count: count)))
    }

    deinit { if let descriptor { wi_numbers_close(descriptor) } }

    subscript(_ index: Int) -> Int64 {
        guard let descriptor else { return own.withLock { $0.numbers[index] } }
        var number: Int64 = 0
        wi_numbers_read(descriptor, index, 1, &number)
        return number
    }

    /// All of them, read at once: each is one that was there, not all of one moment.
    var all: [Int64] {
        guard let descriptor else { return own.withLock { $0.numbers } }
        return [Int64](unsafeUninitializedCapacity: count) { numbers, filled in
            wi_numbers_read(descriptor, 0, count, numbers.baseAddress)
            filled = count
        }
    }

    /// Changes one number in one step; nil leaves it.
    ///
    /// - Returns: whether it was changed.
    @discardableResult
    func change(_ index: Int, _ change: (Int64) -> Int64?) -> Bool {
        own.withLock { own in
            guard let descriptor else {
                guard let changed = change(own.numbers[index]) else { return false }
                own.numbers[index] = changed
                return true
            }
            wi_numbers_lock(descriptor, index)
            defer { wi_numbers_unlock(descriptor, index) }
            var number: Int64 = 0
            wi_numbers_read(descriptor, index, 1, &number)
            guard let changed = change(number) else { return false }
            return wi_numbers_write(descriptor, index, changed)
        }
    }
}
