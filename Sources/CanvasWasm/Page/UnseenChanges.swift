/// Who changed a shape last, as JavaScript is told: an actor's number, 0 for several people while one was away, −1 for
/// one's own edit taken back.
struct Writer {
  let number: Double

  init(_ origin: ChangeOrigin, own: Identifier) {
    switch origin {
    case .own: number = own.number
    case .remote(let actor): number = actor.number
    case .room: number = 0
    case .rejection: number = -1
    }
  }
}

/// What has changed since the page last asked. It asks when it is about to draw, so that however much happens between
/// two frames is drawn once; and where it never asks, as in a hidden tab, this stays as small as what there is.
struct UnseenChanges {
  struct ShapeChange {
    /// A `PropertyMask`; the bit after the last is the name as it is shown.
    var mask: UInt32 = 0
    var by = 0.0
    /// Where a shape that is gone was said to go.
    var departure: Rect?
  }

  private(set) var shapes = IdentifierMap<ShapeChange>()
  private(set) var isOrderChanged = false
  /// All is to be told anew.
  private(set) var isReset = false

  static let nameBit: UInt32 = 1 << UInt32(Property.count)

  mutating func note(_ change: Change, by writer: Writer) {
    var entry = shapes[change.shape] ?? ShapeChange()
    entry.mask |= change.changed.union(change.erased).rawValue
    entry.by = writer.number
    if change.lifecycle == .appeared { entry.departure = nil }
    shapes[change.shape] = entry
  }

  mutating func noteName(of shape: Identifier) {
    shapes[shape, default: ShapeChange()].mask |= UnseenChanges.nameBit
  }

  mutating func noteOrder() {
    isOrderChanged = true
  }

  mutating func depart(_ departure: ShapeEdit) {
    shapes[departure.shape, default: ShapeChange()].departure =
      Rect(origin: departure.set.position, size: departure.set.size)
  }

  mutating func noteReset() {
    self = UnseenChanges()
    isReset = true
    isOrderChanged = true
  }
}
