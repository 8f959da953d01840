/// Where one room's shapes are, and which of them overlap. Hidden shapes are not included.
///
/// Changed shapes are only recorded at first. The index is updated when a question needs it, so a shape that moves many
/// times between two frames is updated once.
struct Plane {
  private(set) var overlaps = OverlapIndex.shown([])

  /// The shapes that have changed since `overlaps` was last updated. If `isAllStale`, all shapes count as changed.
  private var stale = IdentifierSet()
  private var isAllStale = true

  /// The changed pairs that the page hasn't fetched yet.
  private var changed = ChangedPairs()
  private var isNew = true

  mutating func noteChange(of shape: Identifier) { stale.insert(shape) }

  mutating func noteReset() {
    stale.removeAll()
    isAllStale = true
  }

  /// Updates the index for the changed shapes.
  ///
  /// - Parameter drawn: returns a shape as it is drawn.
  mutating func follow(_ canvas: Canvas, drawn: (Identifier) -> Shape?) {
    if isAllStale {
      beginAnew(canvas, drawn)
    } else {
      for shape in stale.members {
        note(overlaps.update(shape, to: drawn(shape)?.visibleOutline))
      }
    }
    stale.removeAll()
  }

  private mutating func beginAnew(_ canvas: Canvas, _ drawn: (Identifier) -> Shape?) {
    var outlines: [(identifier: Identifier, outline: Outline)] = []
    for shape in canvas.shapes {
      if let outline = drawn(shape.id)?.visibleOutline { outlines.append((shape.id, outline)) }
    }
    overlaps = OverlapIndex.shown(outlines)
    changed = ChangedPairs()
    isAllStale = false
    isNew = true
  }

  private mutating func note(_ changes: OverlapChanges) {
    for pair in changes.began { changed.note(pair, overlaps: true) }
    for pair in changes.ended { changed.note(pair, overlaps: false) }
  }

  /// Returns the changed pairs that the page hasn't fetched yet, sorted. After a reset, all overlapping pairs.
  mutating func takePairs() -> [ChangedPair] {
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

/// Pairs that began or stopped overlapping. A pair that did both is left out.
private struct ChangedPairs {
  /// Whether each changed pair overlaps now. A pair's changes alternate between beginning and stopping, so a second
  /// change cancels the first.
  private var noted: [ShapePair: Bool] = [:]

  mutating func note(_ pair: ShapePair, overlaps: Bool) {
    if noted.removeValue(forKey: pair) == nil { noted[pair] = overlaps }
  }

  mutating func take() -> [ChangedPair] {
    defer { noted = [:] }
    return noted.map { ChangedPair(pair: $0.key, overlaps: $0.value) }.sorted { $0.pair < $1.pair }
  }
}
