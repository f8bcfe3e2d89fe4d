// SPDX-License-Identifier: MIT

/// What was asked for on the command line: `Benchmarks WORKLOAD CASE [--name=value…] [FILE…]`.
///
/// An option with an empty value counts as not given, so that one template serves every workload.
struct BenchmarkArguments: Sendable {
    let workload: String
    let name: String
    let files: [String]
    private let options: [String: String]

    init(_ arguments: [String]) throws(BenchmarkFailure) {
        var names: [String] = []
        var options: [String: String] = [:]
        for argument in arguments where !argument.isEmpty {
            guard argument.hasPrefix("--") else {
                names.append(argument)
                continue
            }
            let parts = argument.dropFirst(2).split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else {
                throw BenchmarkFailure("\(argument): options are written --name=value.")
            }
            if !parts[1].isEmpty { options[String(parts[0])] = String(parts[1]) }
        }
        guard names.count >= 2 else { throw BenchmarkFailure(Self.usage) }
        workload = names[0]
        name = names[1]
        files = Array(names.dropFirst(2))
        self.options = options
    }

    /// The option's text.
    func text(_ option: String) throws(BenchmarkFailure) -> String {
        guard let value = options[option] else {
            throw BenchmarkFailure("\(workload) needs --\(option)=….")
        }
        return value
    }

    /// The option's positive number, or `fallback` where it was not given.
    func number(_ option: String, default fallback: Int) throws(BenchmarkFailure) -> Int {
        guard let value = options[option] else { return fallback }
        guard let number = Int(value), number > 0 else {
            throw BenchmarkFailure("--\(option)=\(value) is no positive number.")
        }
        return number
    }

    /// The option's positive numbers, separated by commas.
    func numbers(_ option: String, default fallback: [Int]) throws(BenchmarkFailure) -> [Int] {
        guard let value = options[option] else { return fallback }
        let numbers = value.split(separator: ",").compactMap { Int($0) }.filter { $0 > 0 }
        guard !numbers.isEmpty else {
            throw BenchmarkFailure("--\(option)=\(value) is no list of positive numbers.")
        }
        return numbers
    }

    /// Whether the case is the one called `name`, where `*` in the request stands for anything.
    func wants(_ name: String) -> Bool {
        guard let star = self.name.firstIndex(of: "*") else { return self.name == name }
        return name.hasPrefix(self.name[..<star])
    }

    static let usage = """
        usage: Benchmarks WORKLOAD CASE [--name=value…] [FILE…]

        W1 CASE --input=FILE            encoded bytes in memory to pixels; CASE is only printed
        W2 CASE --out=DIR FILE…         JPEG files to 256-pixel JPEG thumbnails; --threads=N (1)
        W3 lanczos3|bilinear|box|…      --input=RAW --width=W --height=H; RGBA to 1024 wide; --alpha=straight
        W3 blur10                       likewise, a Gaussian of sigma 10; all W3: --threads=N (1)
        W4 CASE --base=URL --list=FILE  loads of the list's paths; --widths=N,… at once (6,16,64) --rounds=N
        W5 mem_*                        hits and evictions of the memory cache
        W5 request_*                    making requests, and memory hits through a manager
        W5 disk_*  --cache=DIR          stores, hits and misses of the disk cache; --count=N --size=BYTES
        W5 scan_*  --cache=DIR          opening a cache of --count=N entries
        all: --reps=N                   repetitions inside the process

        One JSON object per line: workload, case, metric, value (the median), min, variant.
        """
}

/// Why a benchmark could not run, in a sentence.
struct BenchmarkFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
