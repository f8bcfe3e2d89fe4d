// SPDX-License-Identifier: MIT

/// What an address is for, after IANA's registries of special-purpose addresses (RFC 6890 and its successors).
public enum AddressKind: String, Hashable, Sendable, CaseIterable {
    /// Reachable from everywhere.
    case global
    /// This machine: 127.0.0.0/8, ::1.
    case loopback
    /// Networks of somebody's own: RFC 1918, fc00::/7, the old site-local fec0::/10, NAT64 of one's own.
    case privateUse
    /// Between a provider and its customers: 100.64.0.0/10 (RFC 6598).
    case shared
    /// One wire only: 169.254.0.0/16, where clouds answer about their machines, and fe80::/10.
    case linkLocal
    /// Many at once: 224.0.0.0/4, ff00::/8.
    case multicast
    /// No address yet, which Linux takes for this machine: 0.0.0.0/8, ::.
    case unspecified
    /// Everybody on the wire: 255.255.255.255.
    case broadcast
    /// Examples in documents: 192.0.2.0/24 and its like, 2001:db8::/32, 3fff::/20.
    case documentation
    /// Measurements in laboratories: 198.18.0.0/15, 2001:2::/48.
    case benchmarking
    /// Not given out, or given to protocols.
    case reserved

    /// What the address itself is, whatever it has inside.
    init(_ address: IPAddress) {
        let table = address.isIPv4 ? Self.ipv4 : Self.ipv6
        self = table.first { $0.range.contains(address) }?.kind ?? (address.isIPv4 ? .global : .reserved)
    }

    /// What the address is, and what those are that it has inside.
    static func all(of address: IPAddress) -> Set<AddressKind> {
        let embedded = address.embedded
        var kinds = Set(embedded.map { AddressKind($0) })
        // A mapped address is the IPv4 address, written otherwise.
        if embedded.isEmpty || !mapped.contains(where: { $0.contains(address) }) {
            kinds.insert(AddressKind(address))
        }
        return kinds
    }

    private typealias Table = [(range: AddressRange, kind: AddressKind)]

    private static let mapped = ["::ffff:0:0/96", "64:ff9b::/96"].compactMap { AddressRange.parsed($0) }

    /// The first that contains an address counts.
    private static let ipv4 = table([
        ("0.0.0.0/8", .unspecified), ("10.0.0.0/8", .privateUse), ("100.64.0.0/10", .shared),
        ("127.0.0.0/8", .loopback), ("169.254.0.0/16", .linkLocal), ("172.16.0.0/12", .privateUse),
        ("192.0.0.0/24", .reserved), ("192.0.2.0/24", .documentation), ("192.88.99.0/24", .reserved),
        ("192.168.0.0/16", .privateUse), ("198.18.0.0/15", .benchmarking),
        ("198.51.100.0/24", .documentation), ("203.0.113.0/24", .documentation),
        ("224.0.0.0/4", .multicast), ("255.255.255.255/32", .broadcast), ("240.0.0.0/4", .reserved),
    ])

    private static let ipv6 = table([
        ("::/128", .unspecified), ("::1/128", .loopback), ("64:ff9b:1::/48", .privateUse),
        ("2001:2::/48", .benchmarking), ("2001:3::/32", .global), ("2001:4:112::/48", .global),
        ("2001::/23", .reserved), ("2001:db8::/32", .documentation), ("3fff::/20", .documentation),
        ("2000::/3", .global), ("fc00::/7", .privateUse), ("fe80::/10", .linkLocal),
        ("fec0::/10", .privateUse), ("ff00::/8", .multicast),
    ])

    private static func table(_ rows: [(String, AddressKind)]) -> Table {
        rows.compactMap { text, kind in AddressRange.parsed(text).map { ($0, kind) } }
    }
}
