/// One actor's steps, to be undone and done again.
///
/// A step is what one gesture wrote. Undoing it writes the earlier values anew under new stamps, and leaves alone every
/// register that no longer holds what the step wrote: someone else has changed it since.
///
/// Undoing writes new stamps, so a register's stamp alone doesn't tell whether it is as a still earlier step left it.
/// The history therefore remembers, for each register that it wrote back, the stamp under which the value was first
/// written, and compares that. A step never changes on its way between the two lists, which is why undoing and redoing
/// can go on for ever.
public struct UndoHistory: Sendable {
  /// More than anyone steps back through. A drawing program's memory has to be bounded.
  public static let stepsMax = 1_000

  /// How many shapes all steps together may remember, about 300 bytes each. The newest step is kept whatever its size.
  public static let shapesMax = 100_000

  /// With fewer aliases than this, looking for those that no step needs isn't worth the work.
  private static let aliasesMin = 1_024

  struct Step: Sendable {
    var entries: [Entry] = []
  }

  struct Entry: Sendable {
    let shape: Identifier
    var before: RegisterSnapshot
    var after: RegisterSnapshot
  }

  /// A register's current stamp and the earlier one that it stands for, since the value is the same. `original` is nil
  /// where the register did not exist.
  struct Alias: Sendable {
    let property: Property
    var current: Stamp
    var original: Stamp?
  }

  var undoable: [Step] = []
  var redoable: [Step] = []
  /// By shape. Each of its registers has at most one.
  var aliases = IdentifierMap<[Alias]>()
  var shapesRemembered = 0

  /// The step that is being made, and each shape's index in it.
  var open = Step()
  var places = IdentifierMap<Int>()
  private var openGroups = 0

  public init() {}

  public var canUndo: Bool { !undoable.isEmpty || !open.entries.isEmpty }
  public var canRedo: Bool { !redoable.isEmpty }
}

// MARK: - Recording

extension UndoHistory {
  /// All writes until the matching `endGroup` are one step. Inner groups belong to the outermost.
  public mutating func beginGroup() {
    openGroups += 1
  }

  public mutating func endGroup() {
    guard openGroups > 0 else { return }
    openGroups -= 1
    if openGroups == 0 { closeStep() }
  }

  /// Applies an operation of the user's own and remembers what it replaced. Outside a group it is a step of its own.
  public mutating func apply(_ operation: borrowing Operation, to canvas: inout Canvas) -> Change {
    forgetRedoable()
    let shape = operation.shape
    var covered = operation.set.assigned.inserting(.deleted)
    if operation.set.deleted { covered = covered.union(canvas.registers(of: shape)) }
    let before = snapshot(of: covered, in: shape, on: canvas)
    let change = canvas.apply(operation)
    let after = snapshot(of: covered, in: shape, on: canvas)
    if let place = places[shape] {
      for property in covered {
        if !open.entries[place].before.covered.contains(property) {
          open.entries[place].before.set(property, from: before)
        }
        open.entries[place].after.set(property, from: after)
      }
      open.entries[place].after.isLive = after.isLive
    } else {
      places[shape] = open.entries.count
      open.entries.append(Entry(shape: shape, before: before, after: after))
    }
    if openGroups == 0 { closeStep() }
    return change
  }

  private mutating func closeStep() {
    guard !open.entries.isEmpty else { return }
    undoable.append(open)
    shapesRemembered += open.entries.count
    open = Step()
    places.removeAll()
    trim()
  }

  private mutating func forgetRedoable() {
    guard !redoable.isEmpty else { return }
    for step in redoable { shapesRemembered -= step.entries.count }
    redoable.removeAll()
  }

  private mutating func trim() {
    var dropped = 0
    while undoable.count - dropped > 1,
      undoable.count - dropped > UndoHistory.stepsMax || shapesRemembered > UndoHistory.shapesMax
    {
      shapesRemembered -= undoable[dropped].entries.count
      dropped += 1
    }
    if dropped > 0 { undoable.removeFirst(dropped) }
    // An alias that no step names is never asked for again.
    if aliases.count > UndoHistory.aliasesMin + shapesRemembered { forgetUnnamedAliases() }
  }

  private mutating func forgetUnnamedAliases() {
    var named = IdentifierSet()
    for step in undoable { for entry in step.entries { named.insert(entry.shape) } }
    aliases.removeAll { shape, _ in !named.contains(shape) }
  }

  private func snapshot(of covered: PropertyMask, in shape: Identifier, on canvas: Canvas) -> RegisterSnapshot {
    let registers = canvas.registers(of: shape)
    var snapshot = RegisterSnapshot(isLive: registers.contains(.kind))
    let values = canvas.values(of: shape)
    for property in covered {
      if let stamp = originalStamp(of: property, in: shape, on: canvas) {
        snapshot.set(property, to: values, at: stamp)
      } else {
        snapshot.setAbsent(property)
      }
    }
    return snapshot
  }

  /// The stamp under which a register's value was first written. Nil where the register has no value, or its value
  /// stands for none.
  private func originalStamp(of property: Property, in shape: Identifier, on canvas: Canvas) -> Stamp? {
    guard let current = canvas.stamp(of: property, in: shape) else { return nil }
    guard let alias = aliases[shape]?.first(where: { $0.property == property }), alias.current == current else {
      return current
    }
    return alias.original
  }
}

// MARK: - Undoing and redoing

extension UndoHistory {
  /// The operations that undo the newest step that still has an effect; none where there is no such step. The caller
  /// applies them to `canvas` directly, not through the history.
  public mutating func undo(on canvas: Canvas, clock: inout Clock, milliseconds: UInt64) -> [Operation] {
    openGroups = 0
    closeStep()
    while let step = undoable.popLast() {
      if let operations = exchange(step, isUndo: true, on: canvas, clock: &clock, milliseconds: milliseconds) {
        redoable.append(step)
        if !operations.isEmpty { return operations }
      } else {
        shapesRemembered -= step.entries.count
      }
    }
    return []
  }

  /// The operations that redo the step that was undone last and can still be redone.
  public mutating func redo(on canvas: Canvas, clock: inout Clock, milliseconds: UInt64) -> [Operation] {
    while let step = redoable.popLast() {
      if let operations = exchange(step, isUndo: false, on: canvas, clock: &clock, milliseconds: milliseconds) {
        undoable.append(step)
        if !operations.isEmpty { return operations }
      } else {
        shapesRemembered -= step.entries.count
      }
    }
    return []
  }

  /// The operations that take the canvas from one side of a step to the other. An empty list where both sides look
  /// alike, as where a value was written over an equal one. Nil where others have written over everything.
  private mutating func exchange(
    _ step: Step,
    isUndo: Bool,
    on canvas: Canvas,
    clock: inout Clock,
    milliseconds: UInt64
  ) -> [Operation]? {
    var operations: [Operation] = []
    var isInPlace = false
    for place in inOrderOfNaming(step.entries, isUndo: isUndo) {
      let entry = step.entries[place]
      let from = isUndo ? entry.after : entry.before
      let to = isUndo ? entry.before : entry.after
      guard let set = transition(of: entry.shape, from: from, to: to, on: canvas, actor: clock.actor) else { continue }
      let stamp = set.assigned.isEmpty ? nil : clock.tick(milliseconds: milliseconds)
      if note(entry.shape, from: from, to: to, wrote: set, at: stamp, on: canvas) { isInPlace = true }
      if let stamp { operations.append(Operation(shape: entry.shape, at: stamp, set: set)) }
    }
    return isInPlace ? operations : nil
  }

  /// The order in which to write `entries`. Shapes that come back are written last, in the order in which they had been
  /// named. So shapes that share a name get back the numbers that they showed.
  private func inOrderOfNaming(_ entries: [Entry], isUndo: Bool) -> [Int] {
    func naming(_ place: Int) -> Stamp? {
      let from = isUndo ? entries[place].after : entries[place].before
      let to = isUndo ? entries[place].before : entries[place].after
      return to.isLive && !from.isLive ? to.stamp(of: .name) : nil
    }
    var places = Array(entries.indices)
    places.sort { first, second in
      let one = naming(first) ?? .never
      let other = naming(second) ?? .never
      return one != other ? one < other : first < second
    }
    return places
  }

  /// The values to write so that a shape comes from one side of a step to the other. Nil where the shape is no longer
  /// on the first side.
  private func transition(
    of shape: Identifier,
    from: RegisterSnapshot,
    to: RegisterSnapshot,
    on canvas: Canvas,
    actor: Identifier
  ) -> Properties? {
    let registers = canvas.registers(of: shape)
    let isLive = registers.contains(.kind)
    guard isLive == from.isLive else { return nil }
    var set = Properties()
    switch (from.isLive, to.isLive) {
    case (true, true):
      let values = canvas.values(of: shape)
      for property in from.covered.intersection(.registers)
      where originalStamp(of: property, in: shape, on: canvas) == from.stamp(of: property) {
        var target = Properties()
        if to.values.assigned.contains(property) {
          target.take(property, from: to.values)
        } else {
          let kind = set.assigned.contains(.kind) ? set.kind : values.kind
          target.assignDefault(property, kind: kind, of: shape)
        }
        if !target.agrees(on: property, with: values) { set.take(property, from: target) }
      }
      // A name that undo made up, where there was none before, changes with the kind, as a missing name would.
      if set.assigned.contains(.kind), !set.assigned.contains(.name), registers.contains(.name),
        originalStamp(of: .name, in: shape, on: canvas) == nil
      {
        set.assignDefault(.name, kind: set.kind, of: shape)
      }
    case (false, true):
      guard originalStamp(of: .deleted, in: shape, on: canvas) == from.stamp(of: .deleted) else { return nil }
      // Values that someone wrote while the shape was deleted are kept.
      set.take(to.values.assigned.intersection(.registers).subtracting(registers), from: to.values)
    case (true, false):
      for property in registers {
        let original = originalStamp(of: property, in: shape, on: canvas)
        guard original == nil || original == from.stamp(of: property) || original?.actor == actor else { return nil }
      }
      set.delete()
    // The shape was made and deleted in one step. Nothing is to be written, but its erasure now stands for the one
    // before.
    case (false, false): break
    }
    return set
  }

  /// Remembers which stamps the registers that are now on the `to` side stand for. False where there are none.
  private mutating func note(
    _ shape: Identifier,
    from: RegisterSnapshot,
    to: RegisterSnapshot,
    wrote set: Properties,
    at stamp: Stamp?,
    on canvas: Canvas
  ) -> Bool {
    var isAny = false
    for property in from.covered.union(to.covered).union(set.assigned) {
      let written = set.assigned.contains(property)
      if !written {
        guard !set.deleted, originalStamp(of: property, in: shape, on: canvas) == from.stamp(of: property) else {
          continue
        }
      }
      if property != .deleted || written { isAny = true }
      guard let current = written ? stamp : canvas.stamp(of: property, in: shape) else { continue }
      let original = to.stamp(of: property)
      var aliases = (self.aliases[shape] ?? []).filter { $0.property != property }
      if original != current { aliases.append(Alias(property: property, current: current, original: original)) }
      self.aliases[shape] = aliases.isEmpty ? nil : aliases
    }
    return isAny
  }
}

extension Properties {
  /// Assigns the default of a property that nobody has set. A name has no default: it gets the one made up for the
  /// shape.
  mutating func assignDefault(_ property: Property, kind: ShapeKind, of shape: Identifier) {
    if property == .name {
      name = Shape.madeUpName(kind, shape)
    } else {
      clear(property)
      assigned.insert(property)
    }
  }
}
