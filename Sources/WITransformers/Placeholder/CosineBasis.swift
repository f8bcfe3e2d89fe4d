// SPDX-License-Identifier: MIT

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Waves along one side of a picture: what hashes weigh pixels by.
struct CosineBasis {
    private let length: Int
    private let waves: [Float]

    /// `count` waves over `length` pixels, each pixel taken at `offset` from its edge.
    init(_ count: Int, length: Int, offset: Double) {
        self.length = length
        waves = (0..<count * length).map { index in
            let (wave, place) = (Double(index / length), Double(index % length) + offset)
            return Float(cos(Double.pi * wave * place / Double(length)))
        }
    }

    subscript(wave: Int, place: Int) -> Float { waves[wave * length + place] }
}
