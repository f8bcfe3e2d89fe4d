// SPDX-License-Identifier: MIT
internal import WICore

/// Refuses results that are too large, before memory is taken for them.
enum SizeLimit {
    /// `what` begins the sentence, for example `A resize to 300x200`.
    static func check(_ result: PixelSize, _ what: String) throws(ImageError) {
        let limits = DecodeLimits()
        guard let count = result.pixelCount, count <= limits.pixels else {
            throw ImageError(
                .dimensionLimit, stage: .transform,
                "\(what) would make more than the limit of \(limits.pixels) pixels; ask for less.")
        }
        guard max(result.width, result.height) <= limits.side else {
            throw ImageError(
                .dimensionLimit, stage: .transform,
                "\(what) would make a side longer than the limit of \(limits.side) pixels; ask for less.")
        }
    }
}

/// Refuses numbers that make no sense.
enum Parameter {
    /// A number within `range`; what is no number is in no range.
    static func check(
        _ value: Double, _ range: ClosedRange<Double>, _ name: String
    ) throws(ImageError) {
        guard range.contains(value) else {
            throw ImageError(
                .invalidArgument, stage: .transform,
                "\(name) is \(KeyPart.number(value)); it must lie between \(KeyPart.number(range.lowerBound)) and "
                    + "\(KeyPart.number(range.upperBound)).")
        }
    }

    /// A finite number that is small enough to be reckoned with in 32 bits.
    static func checkFinite(_ value: Double, _ name: String) throws(ImageError) {
        try check(value, -1e6...1e6, name)
    }
}
