// SPDX-License-Identifier: MIT
internal import WebImage

extension OptionSpecification {
    static let format = OptionSpecification(
        "format", short: "f", value: "FORMAT", "Write this format: \(EncodableFormats.text).")
    static let resize = OptionSpecification(
        "resize", short: "r", value: "WxH", "Fit into this box of pixels; 300x and x200 limit one side.")
    static let fit = OptionSpecification(
        "fit", value: "HOW",
        "contain (whole, never enlarged; the default), cover (fills the box, cut evenly) or fill (stretched)."
    )
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
