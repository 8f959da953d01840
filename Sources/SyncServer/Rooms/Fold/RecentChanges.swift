import CanvasCRDT

/// Which registers the newest of a room's operations wrote, so that a client that was away for a while is sent only
/// those.
///
/// A canvas knows when each shape last changed, but not what changed. A client that was away for longer than this
/// memory reaches gets the changed shapes whole. That does no harm; it is only more to send.
struct RecentChanges: Sendable {
  private struct Entry {
    let place: UInt64
    let shape: Identifier
    let properties: PropertyMask
  }

  /// In the order of their places in the log. A circular buffer that begins at `oldest`.
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

  /// By shape, the registers written after a place. `nil` if not all of them are known.
  func registers(since place: UInt64) -> [Identifier: PropertyMask]? {
    guard place >= start else { return nil }
    var registers: [Identifier: PropertyMask] = [:]
    for index in entries.indices.reversed() {
      let entry = self[index]
      guard entry.place > place else { break }
      registers[entry.shape] = (registers[entry.shape] ?? []).union(entry.properties)
    }
    return registers
  }

  /// Whether nearly nothing was written after a place, or at least so little that it is quick to gather.
  func hasAtMost(_ count: Int, after place: UInt64) -> Bool {
    guard place >= start else { return false }
    return entries.count <= count || self[entries.count - 1 - count].place <= place
  }

  private subscript(index: Int) -> Entry { entries[(oldest + index) % entries.count] }

  /// Several times what one connection may write in two seconds; 24 bytes each.
  static let entriesMax = 16_384
}
