// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import WebImage

/// What a command line says about how URLs are loaded.
struct NetworkWish: Sendable {
    static let options = [
        OptionSpecification(
            "header", short: "H", value: "NAME:VALUE",
            "Send this header field; may be repeated. No other host is told of it."),
        OptionSpecification(
            "user", short: "u", value: "NAME:PASSWORD",
            "Send user and password to the URL's host. Such pictures are not cached."),
        OptionSpecification("timeout", value: "SECONDS", "Give a load up after this time."),
        OptionSpecification(
            "retries", value: "0-10", "Try again so often where it may help; 2 if not given."),
        OptionSpecification(
            "max-bytes", value: "SIZE", "The longest body, such as 500K or 10M; 64M if not given."),
        OptionSpecification("priority", value: "LEVEL", "low, normal (the default) or high."),
        OptionSpecification(
            "deny-private-addresses", "Reach public addresses only, whatever names and redirects say."),
        OptionSpecification("insecure", "Take certificates unchecked."),
        OptionSpecification("verbose", short: "v", "Tell on standard error what happens to each transfer."),
    ]

    let headers: HTTPHeaders
    let timeout: Duration?
    let retries: Int?
    let bodyLimit: ByteCount?
    let priority: LoadPriority
    let deniesPrivateAddresses: Bool
    let allowsInvalidCertificates: Bool
    let isVerbose: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        headers = try Self.headers(arguments)
        timeout = try arguments.seconds("timeout")
        retries = try arguments.integer("retries", 0...10)
        bodyLimit = try arguments.byteCount("max-bytes")
        priority = try Self.priority(arguments)
        deniesPrivateAddresses = arguments.isSet("deny-private-addresses")
        allowsInvalidCertificates = arguments.isSet("insecure")
        isVerbose = arguments.isSet("verbose")
    }

    private static func headers(_ arguments: ParsedArguments) throws(UsageError) -> HTTPHeaders {
        var headers = HTTPHeaders()
        for text in arguments.values["header"] ?? [] {
            let parts = text.text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty else {
                throw UsageError("The option --header takes NAME:VALUE, not \(quoted(text.text)).")
            }
            headers.add(String(parts[0]), String(parts[1].drop { $0 == " " }))
        }
        guard let user = arguments.value("user") else { return headers }
        guard user.bytes.contains(UInt8(ascii: ":")) else {
            throw UsageError("The option --user takes NAME:PASSWORD.")
        }
        headers["Authorization"] = "Basic " + Data(user.bytes).base64EncodedString()
        return headers
    }

    private static func priority(_ arguments: ParsedArguments) throws(UsageError) -> LoadPriority {
        guard let text = arguments.value("priority")?.text else { return .normal }
        switch text.lowercased() {
        case "low": return .low
        case "normal": return .normal
        case "high": return .high
        default: throw UsageError("The option --priority takes low, normal or high, not \(quoted(text)).")
        }
    }

    /// The loader's part of the wish.
    func configuration(_ console: Console) -> CurlLoaderConfiguration {
        var configuration = CurlLoaderConfiguration()
        if let retries {
            configuration.retryPolicy.maximumRetries = retries
            configuration.retryPolicy.lowestPriority = .low
        }
        if deniesPrivateAddresses { configuration.addressPolicy = .publicOnly }
        if isVerbose { configuration.observer = { console.note(TransferLine(event: $0).text) } }
        return configuration
    }

    /// The requests' part of the wish.
    func apply(to context: inout ImageContext) {
        if !headers.isEmpty { context[.requestHeaders] = headers }
        // The whole is bounded outside; a server may be silent for as long.
        if let timeout { context[.inactivityTimeout] = timeout }
        if let bodyLimit { context[.bodyLimit] = bodyLimit }
        if priority != .normal { context[.priority] = priority }
        if allowsInvalidCertificates { context[.allowsInvalidCertificates] = true }
    }
}

extension ParsedArguments {
    /// The bytes of an option: a whole number, with K, M or G for their multiples by 1024.
    func byteCount(_ option: String) throws(UsageError) -> ByteCount? {
        guard let text = value(option)?.text else { return nil }
        let units: [Character: Int] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30]
        let unit = text.last.flatMap { units[Character($0.uppercased())] }
        let digits = unit == nil ? text[...] : text.dropLast()
        guard let number = Int(digits), number > 0,
            case let (bytes, isOver) = number.multipliedReportingOverflow(by: unit ?? 1), !isOver
        else {
            throw UsageError("The option --\(option) takes a size such as 500K or 10M, not \(quoted(text)).")
        }
        return ByteCount(bytes)
    }
}
