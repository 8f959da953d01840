/// What lies where in one room. Hidden shapes lie nowhere.
///
/// It is told which shapes have changed, and looks at them when it is asked: a shape that moves many times between two
/// frames is placed once.
struct Plane {
  private(set) var overlaps = OverlapIndex()

  /// The shapes that have changed since `overlaps` was kept up, or all.
  private var stale = IdentifierSet()
  private var isAllStale = true

  /// What the page has not yet been told of.
  private var changed = ChangedPairs()
  private var isNew = true

  mutating func noteChange(of shape: Identifier) { stale.insert(shape) }

  mutating func noteReset() {
    stale.removeAll()
    isAllStale = true
  }

  /// Takes in where the shapes that have changed are by now.
  mutating func follow(_ canvas: Canvas) {
    if isAllStale {
      beginAnew(canvas)
    } else {
      for shape in stale.members { note(overlaps.update(shape, to: canvas[shape]?.visibleOutline)) }
    }
    stale.removeAll()
  }

  private mutating func beginAnew(_ canvas: Canvas) {
    var outlines: [(identifier: Identifier, outline: Outline)] = []
    for shape in canvas.shapes {
      if let outline = shape.visibleOutline { outlines.append((shape.id, outline)) }
    }
    overlaps = OverlapIndex(outlines)
    changed = ChangedPairs()
    isAllStale = false
    isNew = true
  }

  private mutating func note(_ changes: OverlapChanges) {
    for pair in changes.began { changed.note(pair, overlaps: true) }
    for pair in changes.ended { changed.note(pair, overlaps: false) }
  }

  /// What the page has not yet been told of, sorted. After a beginning anew these are all pairs that there are.
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

/// Whether pairs came to overlap or ceased to. Those that did both are as they were.
private struct ChangedPairs {
  /// By pair, whether it overlaps now: of one pair changes take turns, so that a second one takes back the first.
  private var noted: [ShapePair: Bool] = [:]

  mutating func note(_ pair: ShapePair, overlaps: Bool) {
    if noted.removeValue(forKey: pair) == nil { noted[pair] = overlaps }
  }

  mutating func take() -> [ChangedPair] {
    let sorted = noted.sorted { $0.key < $1.key }
    noted = [:]
    return sorted.map { ChangedPair(pair: $0.key, overlaps: $0.value) }
  }
}
