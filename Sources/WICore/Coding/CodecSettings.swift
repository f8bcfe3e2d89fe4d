// SPDX-License-Identifier: MIT

/// Settings of one codec, carried in ``DecodeOptions`` and ``EncodeOptions`` by their type.
///
/// The plain value (`init()`) is what applies where nothing is set, and must have no key part.
public protocol CodecSettings: Hashable, Sendable {
    /// The settings that apply where nothing is set.
    init()
    /// What the settings add to the cache key; nil when the pixels are those of the plain value.
    var keyPart: KeyPart? { get }
}

/// Settings of several codecs, each found by its type.
struct CodecSettingsTable: Hashable, Sendable {
    private var values: [ObjectIdentifier: AnySettings] = [:]

    private struct AnySettings: Hashable, Sendable {
        let value: any CodecSettings

        static func == (left: AnySettings, right: AnySettings) -> Bool {
            AnyHashable(left.value) == AnyHashable(right.value)
        }
        func hash(into hasher: inout Hasher) { hasher.combine(AnyHashable(value)) }
    }

    subscript<Settings: CodecSettings>(type: Settings.Type) -> Settings {
        get { values[ObjectIdentifier(type)]?.value as? Settings ?? Settings() }
        set { values[ObjectIdentifier(type)] = AnySettings(value: newValue) }
    }

    var keyParts: [KeyPart] {
        values.values.compactMap(\.value.keyPart).sorted { ($0.name, $0.value) < ($1.name, $1.value) }
    }
}
