import CanvasCRDT

/// The registers that a room's newest operations wrote. With these, a client that was away for a while is sent only
/// what it missed.
///
/// A canvas knows when each shape last changed, but not which of its properties did. A client that was away for longer
/// than this memory reaches back gets the changed shapes whole, which is correct, but takes more bytes.
struct RecentChanges: Sendable {
  private struct Entry {
    let place: UInt64
    let shape: Identifier
    let properties: PropertyMask
  }

  /// Entries in the order of their log positions: a circular buffer that begins at `oldest`.
  private var entries: [Entry] = []
  private var oldest = 0
  /// All changes after this log position are known.
  private(set) var start: UInt64

  /// Begins without entries, for a room that has applied its log up to `place`.
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

  /// For each shape, the registers that were written after a log position. `nil` if not all of them are known.
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

  /// Whether at most `count` registers were written after a log position. If so, gathering them is quick.
  func hasAtMost(_ count: Int, after place: UInt64) -> Bool {
    guard place >= start else { return false }
    return entries.count <= count || self[entries.count - 1 - count].place <= place
  }

  private subscript(index: Int) -> Entry { entries[(oldest + index) % entries.count] }

  /// The upper bound on the entries, of 24 bytes each. It is several times as many registers as one connection may
  /// write in two seconds.
  static let entriesMax = 16_384
}
