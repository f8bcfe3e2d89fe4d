// SPDX-License-Identifier: MIT

/// Where a transfer's time went, and what came.
///
/// The four times of a connection belong to the last exchange and count from its beginning; nil where that part did not
/// happen, on a connection that was there already for example.
public struct TransferMetrics: Hashable, Sendable {
    /// How long the request waited for its first turn.
    public internal(set) var waited = Duration.zero
    /// Until the name was resolved.
    public internal(set) var nameLookup: Duration?
    /// Until the connection was there.
    public internal(set) var connect: Duration?
    /// Until it was safe (TLS).
    public internal(set) var handshake: Duration?
    /// Until the first byte of the answer.
    public internal(set) var firstByte: Duration?
    /// From the call to the end, redirects and retries among it.
    public internal(set) var total = Duration.zero
    /// Bytes of bodies that came over the network, in all exchanges.
    public internal(set) var receivedBytes = 0
    /// Bytes of the body as handed on, decompressed.
    public internal(set) var bodyBytes = 0
    /// Redirects that were followed.
    public internal(set) var redirects = 0
    /// Tries after the first.
    public internal(set) var retries = 0
    /// Whether the last exchange went over a connection that was there already.
    public internal(set) var isConnectionReused = false
    /// The protocol of the last exchange, such as `HTTP/1.1` or `HTTP/2`; nil where there was no answer.
    public internal(set) var protocolVersion: String?
    /// The address that the last exchange was with.
    public internal(set) var remoteAddress: String?
}
