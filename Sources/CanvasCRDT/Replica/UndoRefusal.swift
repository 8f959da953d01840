// What happens to a step when the server refuses its undo or redo.
//
// The refused part of a step goes back to its former list, and can be tried again. The accepted part stays on the list
// where it is. So each list always agrees with the drawing, and no step gets lost. If the user has made edits
// meanwhile, they stay above a step that goes back, because they are newer. A refused edit leaves no step at all,
// because other people never saw it (`forget`).

extension UndoHistory {
  /// Identifies a step: its list, and its number there.
  struct Place: Hashable, Sendable {
    let isUndoable: Bool
    let turn: UInt64
  }

  /// An undo or redo can change a register's alias without writing to the register. `alias` is the alias from before
  /// the change. It is restored if the server refuses the undo or redo.
  struct StandIn: Sendable {
    let property: Property
    var current: Stamp
    var alias: Alias?
  }

  /// An undo or redo that has an effect and that the server has not answered completely.
  struct Exchange: Sendable {
    /// What the undo or redo wrote to one shape of the step.
    struct Part: Sendable {
      /// The step that the entry goes back to if the operation is refused.
      var from: Place
      /// The entry as it was before the undo or redo.
      var entry: Entry
      var stamp: Stamp
      let written: PropertyMask
    }

    let from: Place
    let to: Place
    var parts = IdentifierMap<Part>()
    /// The entries that the undo or redo skipped without writing anything. If all parts are refused, these entries go
    /// back together with the last part.
    var rest: [Entry] = []
    /// The old aliases of registers that got another alias without being written to, by shape.
    var standIns = IdentifierMap<[StandIn]>()
    var isTaken = false

    /// Whether this reverts a step that is still being made.
    var isOfOpenStep: Bool { from.turn == to.turn && from.isUndoable != to.isUndoable }
  }

  mutating func remember(_ exchange: Exchange) {
    exchanges.append(exchange)
    // The number of shapes in all exchanges is limited, to limit the memory. When it is exceeded, the oldest exchanges
    // are forgotten. If the server refuses a forgotten exchange, its step is not put back.
    var shapes = 0
    let newest = exchanges.reversed().prefix { exchange in
      shapes += exchange.parts.count + exchange.rest.count
      return shapes <= UndoHistory.shapesMax
    }
    let dropped = exchanges.count - max(1, min(newest.count, UndoHistory.stepsMax))
    if dropped > 0 { exchanges.removeFirst(dropped) }
  }

  /// Whether a refused operation was an edit, an undo or a redo.
  func origin(of operation: Operation) -> EditOrigin {
    exchange(of: operation).map { $0.to.isUndoable ? .redo : .undo } ?? .edit
  }

  /// Whether this is an undo or redo that changes a shape, and doesn't bring it back.
  func isChange(_ operation: Operation) -> Bool {
    guard let entry = exchange(of: operation)?.parts[operation.shape]?.entry else { return false }
    return entry.before.isLive && entry.after.isLive
  }

  private func exchange(of operation: Operation) -> Exchange? {
    exchanges.first { $0.parts[operation.shape]?.stamp == operation.at }
  }
}

// MARK: - The server's answers

extension UndoHistory {
  /// Called when the server has accepted an operation. If an undo or redo wrote the operation, its entry stays on the
  /// list to which the undo or redo has moved it.
  mutating func taken(_ operation: Operation) {
    guard let index = exchanges.firstIndex(where: { $0.parts[operation.shape]?.stamp == operation.at }) else { return }
    var place: Place? = exchanges[index].to
    // This undo or redo is newer than the earlier ones of the same entry, and it was accepted. So the outcome of the
    // earlier ones no longer matters.
    for earlier in exchanges[...index].indices.reversed() where exchanges[earlier].to == place {
      place = exchanges[earlier].parts.removeValue(forKey: operation.shape)?.from
      exchanges[earlier].isTaken = true
    }
    exchanges.removeAll { $0.parts.isEmpty }
  }

  /// Called when all operations on `shape` are answered, so that no undo or redo of the shape can be refused any more.
  mutating func settle(_ shape: Identifier, on canvas: Canvas) {
    for index in exchanges.indices where exchanges[index].parts.removeValue(forKey: shape) != nil {
      exchanges[index].isTaken = true
    }
    exchanges.removeAll { $0.parts.isEmpty }
    guard var ofShape = aliases[shape] else { return }
    ofShape.removeAll { $0.current != canvas.stamp(of: $0.property, in: shape) }
    aliases[shape] = ofShape.isEmpty ? nil : ofShape
  }

  /// Called when operations on `shapes` were refused and removed from the canvas. Puts back the entries whose values
  /// are gone from the canvas.
  mutating func goBack(_ shapes: IdentifierSet, on canvas: Canvas) {
    for index in exchanges.indices.reversed() {
      let exchange = exchanges[index]
      var moved = IdentifierSet()
      var returning: [(entry: Entry, place: Place)] = []
      for shape in exchange.parts.keys where shapes.contains(shape) {
        guard let part = exchange.parts[shape] else { continue }
        let lost = part.lost(on: canvas)
        guard !lost.isEmpty else { continue }
        let later = exchanges.indices.first { $0 > index && exchanges[$0].parts[shape]?.from == exchange.to }
        // A newer undo had replaced some of the values before they were sent, and was refused. The others are still on
        // their way.
        if later == nil, lost != part.written, part.entry.before.isLive, part.entry.after.isLive {
          let left = PropertyMask.all.subtracting(lost)
          exchanges[index].parts[shape] = Exchange.Part(
            from: part.from,
            entry: part.entry.only(left),
            stamp: part.stamp,
            written: part.written.intersection(left)
          )
          reduce(shape, to: left, at: exchange.to)
          returning.append((part.entry.only(lost), part.from))
          continue
        }
        exchanges[index].parts[shape] = nil
        if let later {
          // A later undo or redo has already moved the same entry. If the server refuses the later one too, the entry
          // returns to where it was before the one that is refused now.
          exchanges[later].parts[shape]?.from = part.from
          exchanges[later].parts[shape]?.entry = part.entry
        } else {
          moved.insert(shape)
          returning.append((part.entry, part.from))
        }
        restoreAliases(of: shape, from: index)
      }
      if !moved.isEmpty, exchanges[index].parts.isEmpty, !exchange.isTaken {
        for entry in exchange.rest {
          moved.insert(entry.shape)
          returning.append((entry, exchange.from))
          restoreAliases(of: entry.shape, from: index)
        }
      }
      remove(moved, at: exchange.to)
      insert(returning)
    }
    exchanges.removeAll { $0.parts.isEmpty }
    returnWhatIsThere(shapes, on: canvas)
    shapesRemembered = 0
    for step in undoable { shapesRemembered += step.entries.count }
    for step in redoable { shapesRemembered += step.entries.count }
  }

  /// If a step has made and deleted a shape, its undo writes nothing. When the deletion is refused, the shape is there,
  /// so the entry becomes undoable again.
  private mutating func returnWhatIsThere(_ shapes: IdentifierSet, on canvas: Canvas) {
    let kind = PropertyMask().inserting(.kind)
    for step in redoable {
      let there = step.entries.filter { entry in
        guard shapes.contains(entry.shape), entry.spared != .all, !entry.before.isLive else { return false }
        return entry.isWritten(.kind, in: snapshot(of: kind, in: entry.shape, on: canvas))
      }
      remove(IdentifierSet(there.map { $0.shape }), at: Place(isUndoable: false, turn: step.turn))
      insert(there.map { ($0, Place(isUndoable: true, turn: step.turn)) })
    }
  }

  /// Restores the previous aliases of the registers that the undo or redo didn't write. If a later undo or redo has
  /// changed such an alias too, the alias is restored only when that later one is refused.
  private mutating func restoreAliases(of shape: Identifier, from index: Int) {
    for standIn in exchanges[index].standIns.removeValue(forKey: shape) ?? [] {
      var isLater = false
      for later in exchanges.indices where later > index && !isLater {
        guard var standIns = exchanges[later].standIns[shape],
          let place = standIns.firstIndex(where: { $0.property == standIn.property && $0.current == standIn.current })
        else { continue }
        standIns[place].alias = standIn.alias
        exchanges[later].standIns[shape] = standIns
        isLater = true
      }
      if !isLater { replaceAlias(of: standIn.property, in: shape, at: standIn.current, by: standIn.alias) }
    }
  }
}

extension UndoHistory.Entry {
  /// The part of the entry that is about these registers.
  fileprivate func only(_ registers: PropertyMask) -> UndoHistory.Entry {
    var entry = self
    for property in PropertyMask.registers.subtracting(registers) {
      entry.before.uncover(property)
      entry.after.uncover(property)
    }
    return entry
  }
}

extension UndoHistory.Exchange.Part {
  /// The values that the undo or redo wrote to the shape, and that are neither there nor overwritten by a newer value.
  fileprivate func lost(on canvas: Canvas) -> PropertyMask {
    var lost = PropertyMask()
    for property in written {
      if let winner = canvas.winner(of: property, in: entry.shape), winner >= stamp { continue }
      lost.insert(property)
    }
    return lost
  }
}

// MARK: - The two lists

extension UndoHistory {
  mutating func pop(fromUndoable isUndoable: Bool) -> Step? {
    isUndoable ? undoable.popLast() : redoable.popLast()
  }

  mutating func push(_ step: Step, ontoUndoable isUndoable: Bool) {
    if isUndoable { undoable.append(step) } else { redoable.append(step) }
  }

  mutating func remove(fromUndoable isUndoable: Bool, where isUnwanted: (Step) -> Bool) {
    let steps = isUndoable ? undoable : redoable
    for step in steps where isUnwanted(step) { shapesRemembered -= step.entries.count }
    let kept = steps.filter { !isUnwanted($0) }
    if isUndoable { undoable = kept } else { redoable = kept }
  }

  /// Removes shapes from a step, and removes the step if it has no shape left.
  private mutating func remove(_ shapes: IdentifierSet, at place: Place) {
    func remove(from steps: inout [Step]) {
      guard let index = steps.firstIndex(where: { $0.turn == place.turn }) else { return }
      steps[index].entries.removeAll { shapes.contains($0.shape) }
      if steps[index].entries.isEmpty { steps.remove(at: index) }
    }
    guard !shapes.isEmpty else { return }
    if place.isUndoable { remove(from: &undoable) } else { remove(from: &redoable) }
  }

  /// Leaves only some registers of a shape in a step.
  private mutating func reduce(_ shape: Identifier, to registers: PropertyMask, at place: Place) {
    func reduce(_ steps: inout [Step]) {
      guard let index = steps.firstIndex(where: { $0.turn == place.turn }),
        let row = steps[index].entries.firstIndex(where: { $0.shape == shape })
      else { return }
      steps[index].entries[row] = steps[index].entries[row].only(registers)
    }
    if place.isUndoable { reduce(&undoable) } else { reduce(&redoable) }
  }

  /// Puts each entry into the step that its `place` identifies. If that step doesn't exist any more, a new step is made
  /// there.
  private mutating func insert(_ entries: [(entry: Entry, place: Place)]) {
    func insert(_ entry: Entry, at turn: UInt64, into steps: inout [Step]) {
      let index = steps.partitionIndex { steps[$0].turn < turn }
      if index == steps.count || steps[index].turn != turn { steps.insert(Step(turn: turn), at: index) }
      steps[index].entries.append(entry)
    }
    for (entry, place) in entries {
      if place.isUndoable {
        insert(entry, at: place.turn, into: &undoable)
      } else {
        insert(entry, at: place.turn, into: &redoable)
      }
    }
  }
}
