// SPDX-License-Identifier: MIT
internal import WebImage

/// The formats that the tool writes: what the registered coders encode.
enum EncodableFormats {
    static let all = Defaults.coders().encodableFormats

    /// For example `jpeg, pam or png`.
    static var text: String {
        let names = all.map(\.name).sorted()
        return names.count < 2
            ? names.joined() : names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
    }

    /// Refuses a format that cannot be written, before anything is loaded for it.
    static func check(_ format: ImageFormat) throws(UsageError) {
        guard !all.contains(format) else { return }
        throw UsageError("\(format) cannot be written; \(text) can.")
    }
}
