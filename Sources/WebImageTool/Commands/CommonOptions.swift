// SPDX-License-Identifier: MIT
internal import WebImage

extension OptionSpecification {
    static let format = OptionSpecification(
        "format", short: "f", value: "FORMAT", "Write this format: \(EncodableFormats.text).")
}
