// SPDX-License-Identifier: MIT
internal import WICore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Prints results, one JSON object a line.
struct Report: Sendable {
    let workload: String

    /// The median and the least of the samples.
    func emit(_ name: String, _ metric: String, _ samples: [Double], variant: String = "") {
        let sorted = samples.sorted()
        guard let least = sorted.first else { return }
        let middle = sorted.count / 2
        let median = sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
        let mark = variant.isEmpty ? "" : ",\"variant\":\"\(variant)\""
        print(
            "{\"workload\":\"\(workload)\",\"case\":\"\(name)\",\"peer\":\"ours\(variant)\"\(mark),"
                + "\"metric\":\"\(metric)\",\"value\":\(median),\"min\":\(least),\"n\":\(sorted.count)}")
        fflush(nil)
    }
}

/// Seconds that `body` takes.
func seconds<Failure: Error>(_ body: () throws(Failure) -> Void) throws(Failure) -> Double {
    let start = ContinuousClock.now
    try body()
    return (ContinuousClock.now - start) / .seconds(1)
}

/// Processor seconds of the process so far, its own and the system's.
func processorSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// The most memory that the process has held, in MB of 1,048,576 bytes; nil where the system does not say.
func peakMemory() -> Double? {
    guard let file = fopen("/proc/self/status", "r") else { return nil }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, Int32(line.count), file) != nil {
        let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        guard text.hasPrefix("VmHWM:"),
            let number = text.split(whereSeparator: { " \t".contains($0) }).dropFirst().first
        else { continue }
        return Double(number).map { $0 / 1024 }
    }
    return nil
}
