// SPDX-License-Identifier: MIT

/// Which addresses may be reached, whatever name led there; for servers that load what strangers name.
///
/// The address itself is judged when a connection is made, after name resolution and on every redirect, and again before
/// each request on a connection that is used once more: there is no moment in which a name could come to mean something
/// else. IPv4 addresses inside IPv6 ones (mapped, compatible, translated, 6to4, NAT64, Teredo, ISATAP) are judged as well.
/// Proxies that the environment names are not used, since a proxy would choose the address.
///
/// A refusal is the error `addressRefused`. Needs libcurl 7.80 or later; with an older one every load fails.
public struct AddressPolicy: Hashable, Sendable {
    /// Kinds that are refused.
    public var refused: Set<AddressKind>
    /// Networks that may be reached although their kind is refused.
    public var exceptions: [AddressRange]
    /// Networks that may not be reached in any case.
    public var refusedRanges: [AddressRange]

    /// A policy of one's own.
    public init(
        refusing refused: Set<AddressKind>, except exceptions: [AddressRange] = [],
        refusedRanges: [AddressRange] = []
    ) {
        self.refused = refused
        self.exceptions = exceptions
        self.refusedRanges = refusedRanges
    }

    /// Everything may be reached.
    public static let unrestricted = AddressPolicy(refusing: [])
    /// What is reachable from everywhere, and nothing else.
    public static let publicOnly = AddressPolicy(refusing: Set(AddressKind.allCases).subtracting([.global]))

    var isUnrestricted: Bool { refused.isEmpty && refusedRanges.isEmpty }

    /// Whether an address may be reached.
    func allows(_ address: IPAddress) -> Bool {
        let all = [address] + address.embedded
        if refusedRanges.contains(where: { range in all.contains { range.contains($0) } }) { return false }
        if exceptions.contains(where: { $0.contains(address) }) { return true }
        return refused.isDisjoint(with: AddressKind.all(of: address))
    }

    /// Whether the address that a text (`192.0.2.1`, `2001:db8::1`) stands for may be reached; what is no address may not.
    public func allows(_ address: String) -> Bool {
        IPAddress(address).map { allows($0) } ?? false
    }
}
