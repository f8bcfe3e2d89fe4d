// SPDX-License-Identifier: MIT

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// For each output position of one axis: where its source pixels start, and how much each weighs.
struct ResamplingAxis: Sendable {
    /// The weights of an output sum to this in fixed point.
    static let one = 1 << 14
    /// Weights from this many taps on are too small for 14 bits.
    static let mostFixedTaps = 256

    let taps: Int
    private(set) var starts: [Int32] = []
    private(set) var weights: [Float] = []

    /// Weights from `source` to `target` pixels; both positive and within Int32.
    init(_ filter: ResamplingFilter, from source: Int, to target: Int) {
        let ratio = Double(source) / Double(target)
        let widening = filter == .nearest ? 1 : max(ratio, 1)
        let support = filter.support * widening
        let exact = filter == .nearest ? 1 : Int((2 * support).rounded(.up)) + 1
        // Four at a time suits the vector kernels; a shorter source has what it has.
        taps = min((exact + 3) / 4 * 4, source)
        starts.reserveCapacity(target)
        weights.reserveCapacity(target * taps)
        var row = [Double](repeating: 0, count: taps)
        for position in 0..<target {
            let center = (Double(position) + 0.5) * ratio
            let first = filter == .nearest ? Int(center) : Int((center - support + 0.5).rounded(.down))
            let start = max(0, min(first, source - taps))
            starts.append(Int32(start))
            Self.fill(&row, filter, start: start, center: center, widening: widening)
            weights += row.map(Float.init)
        }
    }

    private static func fill(
        _ row: inout [Double], _ filter: ResamplingFilter, start: Int, center: Double, widening: Double
    ) {
        var sum = 0.0
        for tap in row.indices {
            if filter == .nearest {
                row[tap] = start + tap == Int(center) ? 1 : 0
            } else {
                row[tap] = filter.value((Double(start + tap) + 0.5 - center) / widening)
            }
            sum += row[tap]
        }
        guard sum != 0 else { return }
        for tap in row.indices { row[tap] /= sum }
    }

    var fitsFixedPoint: Bool { taps <= Self.mostFixedTaps }

    /// The weights in fixed point. The rounding error is carried from tap to tap, so that each sum is exactly ``one``.
    var fixedWeights: [Int16] {
        var fixed = [Int16](repeating: 0, count: weights.count)
        for position in starts.indices {
            var carried = 0.0
            var total = 0
            var largest = position * taps
            for index in position * taps..<(position + 1) * taps where weights[index] != 0 {
                let exact = Double(weights[index]) * Double(Self.one) + carried
                let rounded = exact.rounded()
                carried = exact - rounded
                fixed[index] = Int16(rounded)
                total += Int(rounded)
                if weights[index] > weights[largest] { largest = index }
            }
            fixed[largest] += Int16(Self.one - total)
        }
        return fixed
    }
}
