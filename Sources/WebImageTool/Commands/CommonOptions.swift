// SPDX-License-Identifier: MIT
internal import WebImage

extension OptionSpecification {
    static let format = OptionSpecification(
        "format", short: "f", value: "FORMAT", "Write this format: \(EncodableFormats.text).")
    static let refresh = OptionSpecification(
        "refresh", "Ask the server whether what the cache has changed.")
    static let freshness = OptionSpecification(
        "freshness", value: "POLICY",
        "immutable (what is cached is good; the default) or http (by the server's Cache-Control and the like)."
    )
}

extension ParsedArguments {
    /// When what is cached is good.
    func freshness() throws(UsageError) -> FreshnessPolicy {
        switch value("freshness")?.text {
        case nil, "immutable"?: return .immutable
        case "http"?: return .http
        case let text?:
            throw UsageError("The option --freshness takes immutable or http, not \(quoted(text)).")
        }
    }
}
