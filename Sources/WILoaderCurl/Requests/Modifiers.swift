// SPDX-License-Identifier: MIT
public import FoundationEssentials
public import WICore

/// Changes a request before it is sent: signs its URL, adds a field.
public struct RequestModifier: Sendable {
    /// Names what it does; requests whose modifiers have one name may share a load, those without a name never do.
    public let name: String?
    let modify: @Sendable (LoadRequest) async throws -> LoadRequest

    /// A modifier. What it throws ends the load with `requestRefused`, an ``ImageError`` as it is.
    ///
    /// Fields that make a request somebody's own (`Authorization`, `Cookie`) do not keep its picture out of the cache when
    /// they are added here; set `cachePartition` where pictures differ by user.
    public init(
        name: String? = nil, _ modify: @escaping @Sendable (LoadRequest) async throws -> LoadRequest
    ) {
        self.name = name
        self.modify = modify
    }
}

/// Changes the head of an answer before it is judged.
public struct ResponseModifier: Sendable {
    /// Names what it does, as for ``RequestModifier``.
    public let name: String?
    let modify: @Sendable (ResponseHead) throws -> ResponseHead

    /// A modifier, called on the loader's thread: it must not wait.
    ///
    /// What it throws ends the load with `responseRefused`, an ``ImageError`` as it is.
    public init(name: String? = nil, _ modify: @escaping @Sendable (ResponseHead) throws -> ResponseHead) {
        self.name = name
        self.modify = modify
    }
}

/// Makes pictures of bodies that are no pictures yet.
///
/// Such a body is not looked at while it comes: its type and size are judged at its end.
public struct Decryptor: Sendable {
    /// Names what it does, as for ``RequestModifier``.
    public let name: String?
    let decrypt: @Sendable (Data, ResponseHead) throws -> Data

    /// A decryptor, called from the thread that loads; it may take its time.
    ///
    /// What it throws ends the load with `decryptionFailed`, an ``ImageError`` as it is.
    public init(name: String? = nil, _ decrypt: @escaping @Sendable (Data, ResponseHead) throws -> Data) {
        self.name = name
        self.decrypt = decrypt
    }

    /// Bodies in base64; what is no base64 between is ignored.
    public static let base64 = Decryptor(name: "base64") { data, head in
        guard let plain = Data(base64Encoded: data, options: .ignoreUnknownCharacters), !plain.isEmpty else {
            throw ImageError(.decryptionFailed, stage: .load, "The body is no base64.", url: head.url)
        }
        return plain
    }
}

extension ContextKey where Value == RequestModifier {
    /// Changes this request before it is sent, in place of the loader's modifier.
    public static var requestModifier: Self {
        Self("requestModifier", scope: .bytes) { $0.name.map { KeyPart("requestModifier", $0) } }
    }
}

extension ContextKey where Value == ResponseModifier {
    /// Changes the head of this request's answer, in place of the loader's modifier.
    public static var responseModifier: Self {
        Self("responseModifier", scope: .bytes) { $0.name.map { KeyPart("responseModifier", $0) } }
    }
}

extension ContextKey where Value == Decryptor {
    /// Makes the picture of this request's body, in place of the loader's decryptor.
    public static var decryptor: Self {
        Self("decryptor", scope: .bytes) { $0.name.map { KeyPart("decryptor", $0) } }
    }
}
