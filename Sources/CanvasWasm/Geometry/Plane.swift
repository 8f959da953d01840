#if canImport(CanvasCRDT)
  import CanvasCRDT
#endif

/// What lies where in one room, as a page has it: kept up with the outlines that core.wasm tells of, so that asking costs
/// what is answered and no more.
///
/// A class, because it is large and nobody has use for a copy.
final class Plane {
  private(set) var overlaps = OverlapIndex()

  /// What the page has not yet been told of.
  private var changed = ChangedPairs()
  private var isNew = true

  func follow(_ rows: consuming OutlineRowReader) {
    var outlines: [(identifier: Identifier, outline: Outline)] = []
    var isReset = false
    while let (shape, outline) = rows.next() {
      if let shape {
        if !isReset {
          note(overlaps.update(shape, to: outline))
        } else if let outline {
          outlines.append((shape, outline))
        }
      } else {
        isReset = true
      }
    }
    guard isReset else { return }
    overlaps = OverlapIndex(outlines)
    changed = ChangedPairs()
    isNew = true
  }

  private func note(_ changes: OverlapChanges) {
    for pair in changes.began { changed.note(pair, overlaps: true) }
    for pair in changes.ended { changed.note(pair, overlaps: false) }
  }

  /// What the page has not yet been told of, which it is by now: sorted.
  func takePairs() -> [ChangedPair] {
    let taken = changed.take()
    guard isNew else { return taken }
    isNew = false
    return overlaps.pairs.map { ChangedPair(pair: $0, overlaps: true) }
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
