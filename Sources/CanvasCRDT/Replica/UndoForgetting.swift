// Keeps the history in step with the server's answers: refused operations are forgotten, new stamps are followed.

extension UndoHistory {
  /// Forgets operations that the server has refused: they can't be undone.
  public mutating func forget(_ operations: [Operation]) {
    let stamps = operations.map { $0.at }.sorted()
    guard !stamps.isEmpty else { return }
    forget(stamps, in: &undoable)
    forget(stamps, in: &redoable)
    var steps = [open]
    forget(stamps, in: &steps)
    open = steps.first ?? Step()
    places.removeAll()
    for (place, entry) in open.entries.enumerated() { places[entry.shape] = place }
    shapesRemembered = 0
    for step in undoable { shapesRemembered += step.entries.count }
    for step in redoable { shapesRemembered += step.entries.count }
  }

  private func forget(_ stamps: [Stamp], in steps: inout [Step]) {
    for index in steps.indices {
      var isTouched = false
      for place in steps[index].entries.indices {
        let entry = steps[index].entries[place]
        for property in entry.after.covered {
          guard let stamp = entry.after.stamp(of: property), stamps.holds(stamp) else { continue }
          isTouched = true
          steps[index].entries[place].before.uncover(property)
          steps[index].entries[place].after.uncover(property)
          if property == .deleted {
            steps[index].entries[place].after.isLive = entry.before.isLive
          }
        }
      }
      if isTouched { steps[index].entries.removeAll { $0.after.isEmpty || !$0.after.covered.contains(.deleted) } }
    }
    steps.removeAll { $0.entries.isEmpty }
  }

  /// Follows operations that were given new stamps.
  public mutating func restamp(_ replaced: ReplacedStamps) {
    guard !replaced.isEmpty else { return }
    UndoHistory.restamp(replaced, in: &undoable)
    UndoHistory.restamp(replaced, in: &redoable)
    for place in open.entries.indices { UndoHistory.restamp(replaced, in: &open.entries[place]) }
    for shape in aliases.keys {
      guard var ofShape = aliases[shape] else { continue }
      for index in ofShape.indices {
        ofShape[index].current = replaced[ofShape[index].current] ?? ofShape[index].current
        if let original = ofShape[index].original { ofShape[index].original = replaced[original] ?? original }
      }
      aliases[shape] = ofShape
    }
  }

  private static func restamp(_ replaced: ReplacedStamps, in steps: inout [Step]) {
    for index in steps.indices {
      for place in steps[index].entries.indices { restamp(replaced, in: &steps[index].entries[place]) }
    }
  }

  private static func restamp(_ replaced: ReplacedStamps, in entry: inout Entry) {
    entry.before.restamp(replaced)
    entry.after.restamp(replaced)
  }
}

/// Stamps that were replaced, each with its replacement. They are entered in rising order, as an outbox has them.
public struct ReplacedStamps {
  private var before: [Stamp] = []
  private var after: [Stamp] = []

  public init() {}

  public var isEmpty: Bool { before.isEmpty }

  public mutating func enter(_ stamp: Stamp, by replacement: Stamp) {
    let index = before.rank(of: stamp)
    before.insert(stamp, at: index)
    after.insert(replacement, at: index)
  }

  subscript(stamp: Stamp) -> Stamp? {
    let index = before.rank(of: stamp)
    return index < before.count && before[index] == stamp ? after[index] : nil
  }
}

extension [Stamp] {
  /// The index of a stamp in a rising list, or the index at which it would be inserted.
  fileprivate func rank(of stamp: Stamp) -> Int { partitionIndex { self[$0] < stamp } }

  /// Whether a rising list contains a stamp.
  fileprivate func holds(_ stamp: Stamp) -> Bool {
    let rank = rank(of: stamp)
    return rank < count && self[rank] == stamp
  }
}
