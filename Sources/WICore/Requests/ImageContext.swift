// SPDX-License-Identifier: MIT

/// What one request wants that differs from the defaults: a dictionary whose keys know the types of their values.
///
/// ```swift
/// let context: ImageContext = [.set(.thumbnailSize, PixelSize(width: 300, height: 300))]
/// let same = ImageContext { $0[.thumbnailSize] = PixelSize(width: 300, height: 300) }
/// ```
public struct ImageContext: Sendable, ExpressibleByArrayLiteral, CustomStringConvertible {
    /// One key with its value, for the literal form.
    public struct Entry: Sendable {
        fileprivate let name: Name
        fileprivate let slot: Slot

        /// `value` under `key`.
        public static func set<Value: Sendable>(_ key: ContextKey<Value>, _ value: Value) -> Entry {
            Entry(name: Name(key), slot: .value(value, keyPart: key.keyPart?(value), key.scope))
        }

        /// No value under `key`, whatever the defaults say.
        public static func suppress<Value: Sendable>(_ key: ContextKey<Value>) -> Entry {
            Entry(name: Name(key), slot: .suppressed)
        }
    }

    fileprivate struct Name: Equatable, Sendable {
        let text: String
        let type: ObjectIdentifier

        init<Value: Sendable>(_ key: ContextKey<Value>) {
            text = key.name
            type = ObjectIdentifier(Value.self)
        }

        static func == (left: Name, right: Name) -> Bool {
            left.type == right.type && left.text == right.text
        }
    }

    fileprivate enum Slot: Sendable {
        case value(any Sendable, keyPart: KeyPart?, KeyScope)
        case suppressed
    }

    /// Few, and looked through: a request asks for thirty keys, most of which are not there.
    private var slots: [(name: Name, slot: Slot)] = []

    /// Nothing that differs.
    public init() {}

    /// The entries; the last of one key counts.
    public init(arrayLiteral elements: Entry...) {
        for entry in elements { set(entry.slot, entry.name) }
    }

    /// What `build` sets.
    public init(_ build: (inout ImageContext) -> Void) { build(&self) }

    /// Whether nothing is set.
    public var isEmpty: Bool { slots.isEmpty }

    /// The value of `key`; nil when it is not set, or suppressed. Setting nil leaves the word to the defaults.
    public subscript<Value: Sendable>(key: ContextKey<Value>) -> Value? {
        get {
            guard !slots.isEmpty, case .value(let value, _, _)? = slot(Name(key)) else { return nil }
            return value as? Value
        }
        set { set(newValue.map { .value($0, keyPart: key.keyPart?($0), key.scope) }, Name(key)) }
    }

    private func index(of name: Name) -> Int? { slots.indices.first { slots[$0].name == name } }

    private func slot(_ name: Name) -> Slot? { index(of: name).map { slots[$0].slot } }

    private mutating func set(_ slot: Slot?, _ name: Name) {
        switch (slot, index(of: name)) {
        case (let slot?, let index?): slots[index].slot = slot
        case (let slot?, nil): slots.append((name, slot))
        case (nil, let index?): slots.remove(at: index)
        case (nil, nil): break
        }
    }

    /// Makes sure that `key` has no value, whatever the defaults say.
    public mutating func suppress<Value: Sendable>(_ key: ContextKey<Value>) {
        set(.suppressed, Name(key))
    }

    /// Whether `key` is set or suppressed.
    package func decides<Value: Sendable>(_ key: ContextKey<Value>) -> Bool { slot(Name(key)) != nil }

    /// This context, with what it leaves open taken from `defaults`.
    public func merging(defaults: ImageContext) -> ImageContext {
        guard !defaults.isEmpty else { return self }
        guard !isEmpty else { return defaults }
        var merged = self
        for (name, slot) in defaults.slots where self.slot(name) == nil { merged.slots.append((name, slot)) }
        return merged
    }

    /// Keys and values for people and logs, by name: `[priority: high, transformer: none]`.
    public var description: String {
        let shown = slots.map { name, slot in
            switch slot {
            case .value(let value, _, _): "\(name.text): \(value)"
            case .suppressed: "\(name.text): none"
            }
        }
        return "[\(shown.sorted().joined(separator: ", "))]"
    }

    /// What the values of one scope add to the cache key, in the canonical order: by key name.
    func keyParts(scope: KeyScope) -> [KeyPart] {
        guard !slots.isEmpty else { return [] }
        var named: [(name: String, part: KeyPart)] = []
        for (name, slot) in slots {
            if case .value(_, let part?, scope) = slot { named.append((name.text, part)) }
        }
        named.sort { ($0.name, $0.part.value) < ($1.name, $1.part.value) }
        return named.map(\.part)
    }
}
