// SPDX-License-Identifier: MIT

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// An IPv4 or IPv6 address: 4 or 16 bytes in network order.
struct IPAddress: Hashable, Sendable {
    let bytes: [UInt8]

    var isIPv4: Bool { bytes.count == 4 }

    /// The address that a text stands for, in the usual form (`192.0.2.1`, `2001:db8::1`); a zone is left out.
    init?(_ text: String) {
        let text = String(text.prefix { $0 != "%" })
        var four = in_addr()
        var six = in6_addr()
        if inet_pton(AF_INET, text, &four) == 1 {
            bytes = withUnsafeBytes(of: &four) { Array($0) }
        } else if inet_pton(AF_INET6, text, &six) == 1 {
            bytes = withUnsafeBytes(of: &six) { Array($0) }
        } else {
            return nil
        }
    }

    /// The address of so many bytes, 4 or 16; nil for any other count.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = Array(bytes)
    }

    private init(_ bytes: ArraySlice<UInt8>) { self.bytes = Array(bytes) }

    /// The IPv4 addresses that an IPv6 one leads to, or claims to.
    var embedded: [IPAddress] {
        guard bytes.count == 16 else { return [] }
        let last = IPAddress(bytes[12...])
        if bytes[..<10].allSatisfy({ $0 == 0 }), bytes[10] == bytes[11], bytes[10] == 0 || bytes[10] == 0xFF {
            // Mapped and compatible (RFC 4291, 2.5.5); :: and ::1 are neither.
            return bytes[12..<15].allSatisfy { $0 == 0 } && bytes[10] == 0 ? [] : [last]
        }
        // Translated (RFC 2765, 2.1), and the well-known prefix of NAT64 (RFC 6052, 2.1).
        if bytes[..<12].elementsEqual([0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0, 0])
            || bytes[..<12].elementsEqual([0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0])
        {
            return [last]
        }
        // 6to4 (RFC 3056, 2).
        if bytes[0] == 0x20, bytes[1] == 0x02 { return [IPAddress(bytes[2..<6])] }
        // Teredo (RFC 4380, 4): the server, and the client in ones' complement.
        if bytes[..<4].elementsEqual([0x20, 0x01, 0, 0]) {
            return [IPAddress(bytes[4..<8]), IPAddress(bytes[12...].map { ~$0 }[...])]
        }
        // ISATAP (RFC 5214, 6.1).
        if bytes[8] & 0xFD == 0, bytes[9] == 0, bytes[10] == 0x5E, bytes[11] == 0xFE { return [last] }
        return []
    }
}

extension IPAddress: CustomStringConvertible {
    /// The usual form.
    var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let family = isIPv4 ? AF_INET : AF_INET6
        guard inet_ntop(family, bytes, &text, socklen_t(text.count)) != nil else { return "" }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
