import CanvasCRDT

/// What the limits need to know of a shape: the newest stamps with which it was made, changed and deleted. Older stamps
/// are not needed, because merging gives the same result in any order (M2, M4, M5).
struct Outlook: Newest, Sendable {
  private var kind: Stamp?
  /// The newest stamp of any property except the kind.
  private var other: Stamp?
  private var erasure: Stamp?

  /// A shape of which nothing is known.
  init() {}

  /// What a canvas has of a shape: its erasure and its registers.
  init(of shape: Identifier, on canvas: borrowing Canvas) {
    erasure = canvas.stamp(of: .deleted, in: shape)
    for property in canvas.registers(of: shape) { note(property, canvas.stamp(of: property, in: shape)) }
  }

  /// What one operation does to a shape. If the operation deletes the shape, the operation's other values don't count.
  init(_ set: borrowing Properties, at stamp: Stamp) {
    if set.deleted {
      erasure = stamp
    } else {
      for property in set.assigned { note(property, stamp) }
    }
  }

  private mutating func note(_ property: Property, _ stamp: Stamp?) {
    guard let stamp else { return }
    switch property {
    case .deleted: break
    case .kind: kind = Outlook.newer(kind, stamp)
    default: other = Outlook.newer(other, stamp)
    }
  }

  mutating func merge(_ arriving: Outlook) {
    kind = Outlook.newer(kind, arriving.kind)
    other = Outlook.newer(other, arriving.other)
    erasure = Outlook.newer(erasure, arriving.erasure)
  }

  private static func newer(_ one: Stamp?, _ another: Stamp?) -> Stamp? {
    guard let one, let another else { return one ?? another }
    return max(one, another)
  }

  private func outlives(_ stamp: Stamp?) -> Bool {
    guard let stamp else { return false }
    return erasure.map { stamp > $0 } ?? true
  }

  var isLive: Bool { outlives(kind) }

  func isDeleted(before stamp: Stamp) -> Bool {
    guard let erasure else { return false }
    return erasure < stamp
  }

  /// How the shape counts against the room's limits.
  var counts: Fullness.Counts {
    let hasRecord = isLive || outlives(other)
    return Fullness.Counts(
      live: isLive ? 1 : 0,
      records: hasRecord ? 1 : 0,
      erasures: !hasRecord && erasure != nil ? 1 : 0
    )
  }
}
