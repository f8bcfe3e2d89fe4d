// SPDX-License-Identifier: MIT

/// `value` with a fixed number of decimals and a point, whatever the locale.
///
/// Numbers that are not finite, or too large for it, are given as Swift prints them.
package func fixedPoint(_ value: Double, decimals: Int) -> String {
    var scale = 1.0
    for _ in 0..<decimals { scale *= 10 }
    guard value.isFinite, let scaled = Int(exactly: (value.magnitude * scale).rounded()) else {
        return "\(value)"
    }
    let digits = String(scaled)
    let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
    let sign = value < 0 && scaled != 0 ? "-" : ""
    guard decimals > 0 else { return sign + padded }
    return sign + padded.dropLast(decimals) + "." + padded.suffix(decimals)
}
