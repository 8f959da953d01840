#if canImport(CanvasCRDT)
  import CanvasCRDT
#endif

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
    /// By `Property`; the bit after the last is the name as it is shown.
    var mask: UInt16 = 0
    var by = 0.0
    /// Where a shape that is gone was said to go.
    var departure: Rect?
  }

  private(set) var shapes = IdentifierMap<ShapeChange>()
  private var pairs = ChangedPairs()
  private(set) var isOrderChanged = false
  /// All is to be told anew.
  private(set) var isReset = false

  static let nameBit: UInt16 = 1 << UInt16(Property.count)

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

  mutating func note(_ changes: OverlapChanges) {
    for pair in changes.began { pairs.note(pair, overlaps: true) }
    for pair in changes.ended { pairs.note(pair, overlaps: false) }
  }

  /// Sorted.
  mutating func takePairs() -> [ChangedPair] { pairs.take() }

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

struct ChangedPair {
  let pair: ShapePair
  let overlaps: Bool
}

/// Whether pairs came to overlap or ceased to. Those that did both are as they were.
private struct ChangedPairs {
  private var noted: [ChangedPair] = []

  /// How many there may be before those that are as they were are looked for.
  private var tidiedAt = ChangedPairs.tidiedMin
  private static let tidiedMin = 256

  mutating func note(_ pair: ShapePair, overlaps: Bool) {
    noted.append(ChangedPair(pair: pair, overlaps: overlaps))
    guard noted.count >= tidiedAt else { return }
    noted = take()
    tidiedAt = max(ChangedPairs.tidiedMin, noted.count * 2)
  }

  mutating func take() -> [ChangedPair] {
    noted.sort { $0.pair < $1.pair }
    var changed: [ChangedPair] = []
    for change in noted {
      // Of one pair they take turns, in the order in which they came, since sorting leaves equals in place.
      if changed.last?.pair == change.pair { changed.removeLast() } else { changed.append(change) }
    }
    noted = []
    return changed
  }
}
