// SPDX-License-Identifier: MIT

/// Finds the place of an entry by the hash that its key carries.
///
/// Open addressing with linear probing: a look-up hashes nothing anew, which a `Dictionary` would, and reads one short run
/// of memory. The hash is seeded in each process, so that no choice of URLs makes the runs long.
struct PlaceIndex: Sendable {
    private struct Slot: Sendable {
        var hash: UInt32
        var place: Int32
        var isFree: Bool { place < 0 }
    }

    private static let free = Slot(hash: 0, place: -1)
    private var slots = [Slot](repeating: free, count: 16)
    private var mask = 15
    private(set) var count = 0

    /// The place under `hash` that `matches` takes for the right one.
    func find(_ hash: Int, where matches: (Int) -> Bool) -> Int? {
        let hash = UInt32(truncatingIfNeeded: hash)
        var index = Int(hash) & mask
        while true {
            let slot = slots[index]
            if slot.isFree { return nil }
            if slot.hash == hash, matches(Int(slot.place)) { return Int(slot.place) }
            index = (index + 1) & mask
        }
    }

    /// Adds a place that is not there yet.
    mutating func insert(_ place: Int, hash: Int) {
        if 2 * count >= slots.count { grow() }
        put(Slot(hash: UInt32(truncatingIfNeeded: hash), place: Int32(place)))
        count += 1
    }

    private mutating func put(_ slot: Slot) {
        var index = Int(slot.hash) & mask
        while !slots[index].isFree { index = (index + 1) & mask }
        slots[index] = slot
    }

    private mutating func grow() {
        let old = slots
        slots = [Slot](repeating: Self.free, count: 2 * old.count)
        mask = slots.count - 1
        for slot in old where !slot.isFree { put(slot) }
    }

    /// Removes a place that is there.
    mutating func remove(_ place: Int, hash: Int) {
        var hole = Int(UInt32(truncatingIfNeeded: hash)) & mask
        while slots[hole].place != Int32(place) {
            if slots[hole].isFree { return }
            hole = (hole + 1) & mask
        }
        // What follows in the run moves up, as far as its own start allows: no marks of what was there are left behind.
        var index = (hole + 1) & mask
        while !slots[index].isFree {
            let distance = (index - Int(slots[index].hash)) & mask
            if distance >= (index - hole) & mask {
                slots[hole] = slots[index]
                hole = index
            }
            index = (index + 1) & mask
        }
        slots[hole] = Self.free
        count -= 1
    }
}
