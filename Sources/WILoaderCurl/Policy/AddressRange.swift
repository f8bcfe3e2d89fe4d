// SPDX-License-Identifier: MIT
public import WICore

/// A network by its first address and the bits that its addresses share, such as `10.0.0.0/8` or `fd00::/8`.
public struct AddressRange: Hashable, Sendable, CustomStringConvertible {
    private let address: IPAddress
    private let length: Int

    /// The range that a text names; an address alone is a range of one.
    ///
    /// - Throws: ``ImageError`` with code `invalidArgument` when the text is none.
    public init(_ text: String) throws(ImageError) {
        guard let range = Self.parsed(text) else {
            throw ImageError(
                .invalidArgument, stage: .request,
                "“\(text)” is no range of addresses; write it as 10.0.0.0/8 or fd00::/8.")
        }
        self = range
    }

    private init(_ address: IPAddress, _ length: Int) {
        self.address = address
        self.length = length
    }

    /// Nil where the text is no range.
    static func parsed(_ text: String) -> AddressRange? {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let address = IPAddress(String(first)) else { return nil }
        let bits = address.bytes.count * 8
        guard parts.count == 2 else { return AddressRange(address, bits) }
        guard let length = Int(parts[1]), (0...bits).contains(length) else { return nil }
        return AddressRange(address, length)
    }

    func contains(_ other: IPAddress) -> Bool {
        guard other.bytes.count == address.bytes.count else { return false }
        let whole = length / 8
        guard other.bytes[..<whole].elementsEqual(address.bytes[..<whole]) else { return false }
        let rest = length % 8
        guard rest > 0 else { return true }
        return (other.bytes[whole] ^ address.bytes[whole]) >> UInt8(8 - rest) == 0
    }

    /// As it is written.
    public var description: String { "\(address)/\(length)" }
}
