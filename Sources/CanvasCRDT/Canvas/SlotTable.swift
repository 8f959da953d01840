/// A hash table from a shape's identifier to the slot of its record. It uses open addressing, with one byte of the hash
/// beside each slot.
///
/// Every operation looks a shape up, and this table takes about a third of a `Dictionary`'s time and memory. The hash
/// is seeded, because untrusted clients choose the identifiers and could otherwise choose identifiers that collide.
struct SlotTable: Sendable {
  /// One byte for each place: 0 if the place is empty, otherwise 0x80 plus seven bits of the hash.
  private var tags: [UInt8]
  private var slots: [UInt32]
  private(set) var count = 0
  private let multiplier: UInt64

  private static let capacityMin = 16

  init(seed: UInt64) {
    multiplier = seed | 1
    tags = [UInt8](repeating: 0, count: SlotTable.capacityMin)
    slots = [UInt32](repeating: 0, count: SlotTable.capacityMin)
  }

  @inline(__always)
  private func hash(_ shape: Identifier) -> UInt64 {
    var mixed = shape.packed &* multiplier
    mixed ^= mixed >> 29
    mixed = mixed &* 0xBF58_476D_1CE4_E5B9
    return mixed ^ (mixed >> 32)
  }

  @inline(__always)
  private static func tag(_ hash: UInt64) -> UInt8 {
    UInt8(truncatingIfNeeded: hash >> 57) | 0x80
  }

  /// The slot of `shape`. `holds` says whether a slot belongs to the shape, and is called only for slots whose tag
  /// matches.
  @inline(__always)
  func slot(of shape: Identifier, holds: (UInt32) -> Bool) -> UInt32? {
    let hash = hash(shape)
    let tag = SlotTable.tag(hash)
    let mask = tags.count - 1
    var index = Int(truncatingIfNeeded: hash) & mask
    while tags[index] != 0 {
      if tags[index] == tag, holds(slots[index]) { return slots[index] }
      index = (index + 1) & mask
    }
    return nil
  }

  /// Adds a shape that is not in the table. If the table has to grow, it calls `identifier` for the shape in each slot.
  mutating func insert(_ shape: Identifier, slot: UInt32, identifier: (UInt32) -> Identifier) {
    if !hasRoom(for: count + 1, in: tags.count) { grow(to: tags.count * 2, identifier: identifier) }
    place(shape, slot: slot)
    count += 1
  }

  /// Grows the table for many more shapes. The capacity grows fourfold, because thousands more may follow and each
  /// growth has to read all shapes.
  mutating func reserve(_ additional: Int, identifier: (UInt32) -> Identifier) {
    var capacity = tags.count
    while !hasRoom(for: count + additional, in: capacity) { capacity *= 4 }
    if capacity > tags.count { grow(to: capacity, identifier: identifier) }
  }

  /// Whether the table stays at most three quarters full. Above that, the runs of occupied places get long, and
  /// searches get slow.
  private func hasRoom(for count: Int, in capacity: Int) -> Bool { count * 4 <= capacity * 3 }

  private mutating func place(_ shape: Identifier, slot: UInt32) {
    let hash = hash(shape)
    let mask = tags.count - 1
    var index = Int(truncatingIfNeeded: hash) & mask
    while tags[index] != 0 { index = (index + 1) & mask }
    tags[index] = SlotTable.tag(hash)
    slots[index] = slot
  }

  private mutating func grow(to capacity: Int, identifier: (UInt32) -> Identifier) {
    let oldTags = tags
    let oldSlots = slots
    tags = [UInt8](repeating: 0, count: capacity)
    slots = [UInt32](repeating: 0, count: capacity)
    for index in oldTags.indices where oldTags[index] != 0 {
      place(identifier(oldSlots[index]), slot: oldSlots[index])
    }
  }

  /// Removes a shape, and moves up the shapes that it had displaced. So the table needs no markers for removed shapes.
  mutating func remove(_ shape: Identifier, slot: UInt32, identifier: (UInt32) -> Identifier) {
    let mask = tags.count - 1
    var hole = Int(truncatingIfNeeded: hash(shape)) & mask
    while tags[hole] == 0 || slots[hole] != slot {
      if tags[hole] == 0 { return }
      hole = (hole + 1) & mask
    }
    var next = (hole + 1) & mask
    while tags[next] != 0 {
      let home = Int(truncatingIfNeeded: hash(identifier(slots[next]))) & mask
      if (next &- home) & mask >= (next &- hole) & mask {
        tags[hole] = tags[next]
        slots[hole] = slots[next]
        hole = next
      }
      next = (next + 1) & mask
    }
    tags[hole] = 0
    count -= 1
  }
}
