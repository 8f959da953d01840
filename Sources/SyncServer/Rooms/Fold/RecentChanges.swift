import CanvasCRDT

/// Which registers the newest of a room's operations wrote, so that who was away for a while is sent those and no others.
///
/// A canvas knows of each shape when it last changed, not what of it. Who has been away for longer than this reaches back
/// gets the changed shapes whole, which does no harm and is only more.
struct RecentChanges: Sendable {
  private struct Entry {
    let place: UInt64
    let shape: Identifier
    let properties: PropertyMask
  }

  /// In the order of their places; from `oldest` on, round and round.
  private var entries: [Entry] = []
  private var oldest = 0
  /// All changes after this place in the log are known.
  private(set) var start: UInt64

  /// A room whose log was read up to a place.
  init(after place: UInt64 = 0) { start = place }

  mutating func note(_ change: Change, place: UInt64) {
    guard !change.changed.isEmpty else { return }
    let entry = Entry(place: place, shape: change.shape, properties: change.changed)
    if entries.count < RecentChanges.entriesMax {
      entries.append(entry)
    } else {
      start = entries[oldest].place
      entries[oldest] = entry
      oldest = (oldest + 1) % RecentChanges.entriesMax
    }
  }

  /// By shape, what was written after a place; nothing where not all of that is known.
  func registers(since place: UInt64) -> [Identifier: PropertyMask]? {
    guard place >= start else { return nil }
    var registers: [Identifier: PropertyMask] = [:]
    for index in entries.indices.reversed() {
      let entry = entries[(oldest + index) % entries.count]
      guard entry.place > place else { break }
      registers[entry.shape] = (registers[entry.shape] ?? []).union(entry.properties)
    }
    return registers
  }

  /// Two seconds of the most that one connection may write, several times over; 24 bytes each.
  static let entriesMax = 16_384
}
