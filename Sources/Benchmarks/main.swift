// SPDX-License-Identifier: MIT

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

do {
    let arguments = try BenchmarkArguments(Array(CommandLine.arguments.dropFirst()))
    let report = Report(workload: arguments.workload)
    switch (arguments.workload, arguments.name) {
    case ("W1", _): try Decoding.run(arguments, report)
    case ("W2", _): try Thumbnails.run(arguments, report)
    case ("W3", _): try Resampling.run(arguments, report)
    case ("W4", _): try Downloading.run(arguments, report)
    case ("W5", let name) where name.hasPrefix("mem"): try MemoryCaching.run(arguments, report)
    case ("W5", let name) where name.hasPrefix("request"): try RequestMaking.run(arguments, report)
    case ("W5", let name) where name.hasPrefix("disk"): try DiskCaching.run(arguments, report)
    case ("W5", let name) where name.hasPrefix("scan"): try DiskCaching.open(arguments, report)
    default:
        throw BenchmarkFailure(
            "There is no \(arguments.workload) \(arguments.name).\n\(BenchmarkArguments.usage)")
    }
} catch {
    let line = Array("Benchmarks: \(error)\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
    exit(error is BenchmarkFailure ? 2 : 1)
}
