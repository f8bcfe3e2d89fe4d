// SPDX-License-Identifier: MIT
internal import WICore

/// Pictures that had to go, and may still be alive elsewhere: shown somewhere, or about to be handed over.
///
/// It holds no pixels. Who asks for one that lives gets it without a second decode.
struct EvictedPictures: Sendable {
    private struct Slot: Sendable {
        let picture: WeakPicture
        let metadata: EntryMetadata
        let storedAt: Duration
    }

    /// Slots at most, those of the dead among them.
    static let capacity = 4096
    private static let metadataLimit = 1 << 16
    private var slots: [CacheKey: Slot] = [:]
    /// The dead are cleared away when as many came as there were slots: each time costs as much as came since the last.
    private var comeSince = 0
    private var clearsAfter = 64

    var isEmpty: Bool { slots.isEmpty }
    var count: Int { slots.count }

    mutating func add(_ removed: RecencyList.Removed) {
        comeSince += 1
        if comeSince >= clearsAfter {
            for (key, slot) in slots where !slot.picture.isAlive { slots[key] = nil }
            clearsAfter = max(64, slots.count)
            comeSince = 0
        }
        let metadata = removed.entry.metadata
        guard slots.count < Self.capacity, (metadata.extendedData?.count ?? 0) <= Self.metadataLimit,
            let picture = WeakPicture(removed.entry.image)
        else { return }
        slots[removed.key] = Slot(picture: picture, metadata: metadata, storedAt: removed.storedAt)
    }

    /// The picture under `key`, if it lives; its slot is free then.
    mutating func take(_ key: CacheKey) -> RecencyList.Removed? {
        guard let slot = slots.removeValue(forKey: key), let image = slot.picture.image else { return nil }
        let entry = MemoryEntry(image: image, metadata: slot.metadata)
        return RecencyList.Removed(key: key, entry: entry, storedAt: slot.storedAt)
    }

    mutating func remove(_ key: CacheKey) { if !slots.isEmpty { slots[key] = nil } }

    mutating func removeAll(where matches: (CacheKey) -> Bool) {
        slots = slots.filter { !matches($0.key) }
    }
}
