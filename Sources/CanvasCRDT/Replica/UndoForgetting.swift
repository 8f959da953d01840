// What the server made of a history's operations: refused ones are forgotten, newly stamped ones followed.

extension UndoHistory {
  /// Forgets operations that the server has refused: there is nothing to undo about them.
  public mutating func forget(_ operations: [Operation]) {
    var stamps: Set<Stamp> = []
    for operation in operations { stamps.insert(operation.at) }
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

  private func forget(_ stamps: Set<Stamp>, in steps: inout [Step]) {
    for index in steps.indices {
      var isTouched = false
      for place in steps[index].entries.indices {
        let entry = steps[index].entries[place]
        for property in entry.after.covered {
          guard let stamp = entry.after.stamp(of: property), stamps.contains(stamp) else { continue }
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
  public mutating func restamp(_ replaced: [Stamp: Stamp]) {
    guard !replaced.isEmpty else { return }
    UndoHistory.restamp(replaced, in: &undoable)
    UndoHistory.restamp(replaced, in: &redoable)
    for place in open.entries.indices { UndoHistory.restamp(replaced, in: &open.entries[place]) }
    for name in aliases.keys {
      guard var alias = aliases[name] else { continue }
      alias.current = replaced[alias.current] ?? alias.current
      if let original = alias.original { alias.original = replaced[original] ?? original }
      aliases[name] = alias
    }
  }

  private static func restamp(_ replaced: [Stamp: Stamp], in steps: inout [Step]) {
    for index in steps.indices {
      for place in steps[index].entries.indices { restamp(replaced, in: &steps[index].entries[place]) }
    }
  }

  private static func restamp(_ replaced: [Stamp: Stamp], in entry: inout Entry) {
    entry.before.restamp(replaced)
    entry.after.restamp(replaced)
  }
}
