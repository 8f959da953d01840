// Undoing and redoing: computing the values that change the canvas from the state after a step to the state before it,
// or back.

extension UndoHistory {
  /// The operations that undo the newest step that still has an effect. Empty if there is no such step. The caller
  /// applies them to `canvas` directly, not with `UndoHistory.apply`.
  ///
  /// - Parameter onlyNewest: whether no older step is undone if the newest one has no effect.
  public mutating func undo(
    onlyNewest: Bool = false,
    on canvas: Canvas,
    clock: inout Clock,
    milliseconds: UInt64
  ) -> [Operation] {
    openGroups = 0
    closeStep()
    var turn: UInt64?
    return exchange(
      isUndo: true,
      onlyNewest: onlyNewest,
      on: canvas,
      clock: &clock,
      milliseconds: milliseconds,
      from: &turn
    )
  }

  /// The operations that redo the last undone step that still has an effect.
  public mutating func redo(on canvas: Canvas, clock: inout Clock, milliseconds: UInt64) -> [Operation] {
    openGroups = 0
    closeStep()
    var turn: UInt64?
    let operations = exchange(isUndo: false, on: canvas, clock: &clock, milliseconds: milliseconds, from: &turn)
    if let turn {
      bringBackPassedOver(for: turn, on: canvas, operations, clock: clock, milliseconds: milliseconds)
    }
    return operations
  }

  /// The operations that revert everything that the open step has written so far. The step is not put on either list,
  /// and the steps that could be redone before it can still be redone. Empty if no step is open or nothing was written.
  mutating func abandonStep(on canvas: Canvas, clock: inout Clock, milliseconds: UInt64) -> [Operation] {
    openGroups = 0
    guard !open.entries.isEmpty else { return [] }
    var step = open
    open = Step()
    places.removeAll()
    // If the server refuses some of the operations that take the step back, that part of the step stays in the drawing.
    // It then becomes an undoable step with this number.
    let turn = newTurn()
    var exchange = Exchange(
      from: Place(isUndoable: true, turn: turn),
      to: Place(isUndoable: false, turn: turn)
    )
    let operations = self.exchange(&step, &exchange, on: canvas, clock: &clock, milliseconds: milliseconds) ?? []
    if !operations.isEmpty { remember(exchange) }
    return operations
  }

  /// Moves steps from one list to the other, the newest first, until a moved step has an effect. Sets `from` to the
  /// number of that step. Steps that have none only because somebody has locked their shapes stay on their list, and
  /// have an effect once the shapes are unlocked.
  private mutating func exchange(
    isUndo: Bool,
    onlyNewest: Bool = false,
    on canvas: Canvas,
    clock: inout Clock,
    milliseconds: UInt64,
    from: inout UInt64?
  ) -> [Operation] {
    let first = lastTurn + 1
    var overwritten: [UInt64] = []
    var held: [Step] = []
    defer { while let step = held.popLast() { push(step, ontoUndoable: isUndo) } }
    while let step = pop(fromUndoable: isUndo) {
      let aliases = step.entries.contains { !registersHeld($0, on: canvas).isEmpty } ? self.aliases : nil
      let turn = newTurn()
      var moved = step
      var exchange = Exchange(
        from: Place(isUndoable: isUndo, turn: step.turn),
        to: Place(isUndoable: !isUndo, turn: turn)
      )
      let operations = self.exchange(&moved, &exchange, on: canvas, clock: &clock, milliseconds: milliseconds)
      if let aliases, operations?.isEmpty != false {
        self.aliases = aliases
        held.append(step)
        if onlyNewest { return [] }
        continue
      }
      moved.turn = turn
      moved.passedOverFor = nil
      push(moved, ontoUndoable: !isUndo)
      if let operations, !operations.isEmpty {
        from = step.turn
        if isUndo {
          for index in redoable.indices where (first..<turn).contains(redoable[index].turn) {
            redoable[index].passedOverFor = turn
          }
        }
        remember(exchange)
        return operations
      }
      if operations == nil { overwritten.append(turn) }
      if onlyNewest { break }
    }
    // Overwritten steps stay on a list only to keep their order relative to a step with an effect. No such step is
    // left, so they are dropped.
    remove(fromUndoable: !isUndo) { overwritten.contains($0.turn) }
    return []
  }

  /// Called after a redo. Moves back the steps without an effect that the undo had passed over, if they still have no
  /// effect.
  private mutating func bringBackPassedOver(
    for turn: UInt64,
    on canvas: Canvas,
    _ operations: [Operation],
    clock: Clock,
    milliseconds: UInt64
  ) {
    guard redoable.last?.passedOverFor == turn else { return }
    var canvas = canvas
    for operation in operations { canvas.apply(operation) }
    while redoable.last?.passedOverFor == turn {
      var history = self
      var clock = clock
      guard var step = history.pop(fromUndoable: false) else { return }
      let place = Place(isUndoable: false, turn: step.turn)
      var exchange = Exchange(from: place, to: place)
      let operations = history.exchange(&step, &exchange, on: canvas, clock: &clock, milliseconds: milliseconds)
      guard operations?.isEmpty != false else { return }
      step.turn = history.newTurn()
      step.passedOverFor = nil
      history.push(step, ontoUndoable: true)
      self = history
    }
  }

  /// The operations that change the canvas from one side of a step to the other; the sides are the states before and
  /// after the step. Empty if both sides look alike, for example after a value was overwritten by an equal one. `nil`
  /// if other people have overwritten everything.
  private mutating func exchange(
    _ step: inout Step,
    _ exchange: inout Exchange,
    on canvas: Canvas,
    clock: inout Clock,
    milliseconds: UInt64
  ) -> [Operation]? {
    let isUndo = exchange.from.isUndoable
    var operations: [Operation] = []
    var isInPlace = false
    for place in inOrderOfNaming(step.entries, isUndo: isUndo) {
      let entry = step.entries[place]
      let from = isUndo ? entry.after : entry.before
      let to = isUndo ? entry.before : entry.after
      let held = exchange.isOfOpenStep ? PropertyMask() : registersHeld(entry, on: canvas)
      var spared = (isUndo ? PropertyMask() : entry.spared).union(held)
      guard isUndo || entry.spared != .all,
        var set = transition(
          of: entry.shape,
          from: from,
          to: to,
          sparing: spared,
          on: canvas,
          actor: clock.actor
        )
      else {
        step.entries[place].spared = isUndo ? .all : entry.spared
        exchange.rest.append(entry)
        continue
      }
      // The server may still refuse the deletion of a shape that was made. So it is deleted once more: what is refused of
      // that becomes a step.
      if exchange.isOfOpenStep, !from.isLive, !to.isLive { set.delete() }
      if isUndo, from.isLive, to.isLive {
        spared = spared.union(registersElsewhere(from, of: entry.shape, on: canvas))
      }
      step.entries[place].spared = spared
      let stamp = set.assigned.isEmpty ? nil : clock.tick(milliseconds: milliseconds)
      step.entries[place].takeDown(isUndo: isUndo, as: sides(of: entry, isUndo: isUndo, wrote: set, on: canvas))
      if note(step.entries[place], from: from, to: to, wrote: set, at: stamp, on: canvas, in: &exchange) {
        isInPlace = true
      }
      if let stamp {
        operations.append(Operation(shape: entry.shape, at: stamp, set: set))
        exchange.parts[entry.shape] = Exchange.Part(
          from: exchange.from,
          entry: entry,
          stamp: stamp,
          written: set.assigned
        )
      } else {
        exchange.rest.append(entry)
      }
    }
    return isInPlace ? operations : nil
  }

  /// The order in which `entries` are written. Shapes that come back are written last, in the order of the stamps of
  /// their names. This order decides the numbers of shapes with the same name, so the shapes get the same numbers as
  /// before.
  private func inOrderOfNaming(_ entries: [Entry], isUndo: Bool) -> [Int] {
    let stamps = entries.map { entry in
      let isBack = isUndo ? entry.before.isLive && !entry.after.isLive : entry.after.isLive && !entry.before.isLive
      return isBack ? (isUndo ? entry.before : entry.after).stamp(of: .name) ?? .never : .never
    }
    return Array(stamps.indices).sorted { stamps[$0] != stamps[$1] ? stamps[$0] < stamps[$1] : $0 < $1 }
  }

  /// The values that change a shape from its state in `from` to its state in `to`. `nil` if the shape is no longer as
  /// in `from`.
  private func transition(
    of shape: Identifier,
    from: RegisterSnapshot,
    to: RegisterSnapshot,
    sparing spared: PropertyMask,
    on canvas: Canvas,
    actor: Identifier
  ) -> Properties? {
    let registers = canvas.registers(of: shape)
    let isLive = registers.contains(.kind)
    guard isLive == from.isLive else { return nil }
    var set = Properties()
    // The server takes no such name any more (S8). Only old rooms have them.
    var wanted = PropertyMask.registers
    if HiddenCharacters.occur(in: to.values.name) { wanted.remove(.name) }
    switch (from.isLive, to.isLive) {
    case (true, true):
      let values = canvas.values(of: shape)
      for property in from.covered.intersection(wanted).subtracting(spared)
      where originalStamp(of: property, in: shape, on: canvas) == from.stamp(of: property)
        && from.stamp(of: property) != to.stamp(of: property)
      {
        var target = Properties()
        if to.values.assigned.contains(property) {
          target.take(property, from: to.values)
        } else {
          let kind = set.assigned.contains(.kind) ? set.kind : values.kind
          target.assignDefault(property, kind: kind, of: shape)
        }
        if !target.agrees(on: property, with: values) { set.take(property, from: target) }
      }
    case (false, true):
      // Without an erasure, the room has forgotten the deletion. Nobody has brought the shape back.
      guard
        canvas.stamp(of: .deleted, in: shape) == nil
          || originalStamp(of: .deleted, in: shape, on: canvas) == from.stamp(of: .deleted)
      else { return nil }
      // Values that other people wrote while the shape was deleted are left alone.
      set.take(to.values.assigned.intersection(wanted).subtracting(registers), from: to.values)
    case (true, false):
      for property in registers {
        let original = originalStamp(of: property, in: shape, on: canvas)
        guard let original, original != from.stamp(of: property) else { continue }
        guard original.actor == actor || isFormer(original) else { return nil }
      }
      set.delete()
    // The step both made and deleted the shape. So the shape is deleted in both states, and nothing has to be written.
    case (false, false): break
    }
    return set
  }

  /// The registers that stay as they are because somebody has locked the shape after the step (S12). The lock itself is
  /// not among them.
  private func registersHeld(_ entry: Entry, on canvas: Canvas) -> PropertyMask {
    guard entry.before.isLive, entry.after.isLive, canvas[entry.shape]?.properties.isLocked == true,
      let lock = originalStamp(of: .locked, in: entry.shape, on: canvas),
      let written = entry.after.stamps.max(), written < lock
    else { return PropertyMask() }
    return PropertyMask.registers.subtracting(PropertyMask().inserting(.locked))
  }

  /// The registers that differ from the given snapshot, because somebody has written or erased them.
  private func registersElsewhere(
    _ side: RegisterSnapshot,
    of shape: Identifier,
    on canvas: Canvas
  ) -> PropertyMask {
    var elsewhere = PropertyMask()
    for property in side.covered.intersection(.registers)
    where originalStamp(of: property, in: shape, on: canvas) != side.stamp(of: property) {
      elsewhere.insert(property)
    }
    return elsewhere
  }

  /// Called when registers have got back their values in `to`. For each register, an alias maps its present stamp to
  /// its stamp in `to`. Returns false if no register has got back its value.
  private mutating func note(
    _ entry: Entry,
    from: RegisterSnapshot,
    to: RegisterSnapshot,
    wrote set: Properties,
    at stamp: Stamp?,
    on canvas: Canvas,
    in exchange: inout Exchange
  ) -> Bool {
    var isAny = false
    var before: [StandIn] = []
    let shape = entry.shape
    for property in from.covered.union(to.covered).subtracting(entry.spared).union(set.assigned) {
      let written = set.assigned.contains(property)
      if !written {
        guard !set.deleted, originalStamp(of: property, in: shape, on: canvas) == from.stamp(of: property) else {
          continue
        }
      }
      if property != .deleted || written { isAny = true }
      guard let current = written ? stamp : canvas.stamp(of: property, in: shape) else { continue }
      let original = to.stamp(of: property).flatMap { $0 == .never ? nil : $0 }
      let alias = original == current ? nil : Alias(property: property, current: current, original: original)
      // A new stamp has no alias yet. It isn't searched for, because many undos without a connection leave many aliases.
      if written {
        if let alias { aliases[shape, default: []].append(alias) }
      } else {
        let replaced = replaceAlias(of: property, in: shape, at: current, by: alias)
        before.append(StandIn(property: property, current: current, alias: replaced))
      }
    }
    if !before.isEmpty { exchange.standIns[shape] = before }
    return isAny
  }

  /// Replaces the alias of a register's stamp, and returns the previous alias.
  @discardableResult
  mutating func replaceAlias(
    of property: Property,
    in shape: Identifier,
    at current: Stamp,
    by alias: Alias?
  ) -> Alias? {
    let index = aliases[shape]?.lastIndex { $0.property == property && $0.current == current }
    let replaced = index.map { aliases[shape, default: []].remove(at: $0) }
    if let alias {
      aliases[shape, default: []].append(alias)
    } else if aliases[shape]?.isEmpty == true {
      aliases[shape] = nil
    }
    return replaced
  }
}

// MARK: - Shapes that are deleted or come back

extension UndoHistory {
  /// New snapshots for an entry whose shape was deleted or brought back by an undo or redo. `nil` means that the old
  /// snapshot stays.
  private func sides(
    of entry: Entry,
    isUndo: Bool,
    wrote set: Properties,
    on canvas: Canvas
  ) -> (from: RegisterSnapshot?, to: RegisterSnapshot?) {
    let from = isUndo ? entry.after : entry.before
    let to = isUndo ? entry.before : entry.after
    let registers = canvas.registers(of: entry.shape)
    if set.deleted {
      var left = snapshot(of: from.covered.union(registers), in: entry.shape, on: canvas)
      // A register that did not exist in `from` can exist now with a default value, because an undo can't remove a
      // register. Its value is recorded under the stamp `never`, which means that the register did not exist.
      let values = canvas.values(of: entry.shape)
      for property in registers where left.stamp(of: property) == nil { left.set(property, to: values, at: .never) }
      left.set(.deleted, from: from)
      return (left, nil)
    }
    guard isUndo, !from.isLive, to.isLive else { return (nil, nil) }
    var back = to
    let standing = snapshot(of: registers, in: entry.shape, on: canvas)
    for property in registers { back.set(property, from: standing) }
    return (nil, back)
  }
}

extension UndoHistory.Entry {
  fileprivate mutating func takeDown(isUndo: Bool, as sides: (from: RegisterSnapshot?, to: RegisterSnapshot?)) {
    if let from = sides.from { if isUndo { after = from } else { before = from } }
    if let to = sides.to { if isUndo { before = to } else { after = to } }
  }
}
