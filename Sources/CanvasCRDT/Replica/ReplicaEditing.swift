// The client's own edits. They are shown at once, and sent when there is a connection.

extension Replica {
  /// Gives shapes new values. All values together are one undo step, and one message if the limits allow that. If one
  /// value is not allowed, none is written. If a shape is deleted, a line that is tied to it keeps its ends where they
  /// are drawn (S14).
  public mutating func edit(_ edits: [ShapeEdit], at now: Moment) -> [ReplicaEffect] {
    write(edits, at: now)
    return finish(at: now)
  }

  /// Adds a shape under a new identifier. If the values have no kind, the shape is a rectangle.
  public mutating func add(_ set: Properties, at now: Moment) -> (shape: Identifier, effects: [ReplicaEffect]) {
    var set = set
    if !set.assigned.contains(.kind) { set.kind = .rectangle }
    var shape = Identifier.random(using: &random)
    while !optimistic.shown.registers(of: shape).isEmpty || optimistic.shown.stamp(of: .deleted, in: shape) != nil {
      shape = Identifier.random(using: &random)
    }
    return (shape, edit([ShapeEdit(shape: shape, set: set)], at: now))
  }

  /// Deletes the live shapes among `shapes`.
  public mutating func delete(_ shapes: [Identifier], at now: Moment) -> [ReplicaEffect] {
    var set = Properties()
    set.delete()
    var edits: [ShapeEdit] = []
    // While the server's disk is low, it accepts the deletions of what it has, up to the first shape that it lacks.
    for isStored in [true, false] {
      for shape in shapes where optimistic.shown.registers(of: shape).contains(.kind) {
        if optimistic.isStored(shape) == isStored { edits.append(ShapeEdit(shape: shape, set: set)) }
      }
    }
    return edit(edits, at: now)
  }

  /// Deletes all shown shapes, as one undo step.
  public mutating func clear(at now: Moment) -> [ReplicaEffect] {
    delete(optimistic.shown.shapes.map { $0.id }, at: now)
  }

  /// Begins a group: all edits until `endGroup`, for example those of a drag, are one undo step.
  public mutating func beginGroup() {
    history.beginGroup()
  }

  public mutating func endGroup() {
    history.endGroup()
  }

  /// Abandons the open step and closes the group, for example when a gesture is cancelled. Everything that the step has
  /// written since `beginGroup` is reverted, and can't be undone or redone. Steps that could be redone before the group
  /// began can be redone again.
  ///
  /// If the user has become a viewer meanwhile, the group is closed and nothing is reverted.
  public mutating func abandonStep(at now: Moment) -> [ReplicaEffect] {
    guard !isLookingOn else {
      endGroup()
      return finish(at: now)
    }
    let milliseconds = stampMilliseconds(at: now)
    show(
      history.abandonStep(on: optimistic.shown, clock: &clock.clock, milliseconds: milliseconds),
      milliseconds: milliseconds
    )
    return finish(at: now)
  }

  /// Undoes the user's newest step that still has an effect.
  ///
  /// - Parameter onlyNewest: whether no older step is undone if the newest one has no effect.
  public mutating func undo(onlyNewest: Bool = false, at now: Moment) -> [ReplicaEffect] {
    guard !isLookingOn else { return finish(at: now) }
    let milliseconds = stampMilliseconds(at: now)
    show(
      history.undo(onlyNewest: onlyNewest, on: optimistic.shown, clock: &clock.clock, milliseconds: milliseconds),
      milliseconds: milliseconds
    )
    return finish(at: now)
  }

  /// Redoes the step that was undone last.
  public mutating func redo(at now: Moment) -> [ReplicaEffect] {
    guard !isLookingOn else { return finish(at: now) }
    let milliseconds = stampMilliseconds(at: now)
    show(
      history.redo(on: optimistic.shown, clock: &clock.clock, milliseconds: milliseconds),
      milliseconds: milliseconds
    )
    return finish(at: now)
  }

  private mutating func write(_ edits: [ShapeEdit], at now: Moment) {
    for edit in edits where !edit.set.assigned.isEmpty {
      guard !isLookingOn else { return refuse(edit, code: .readOnly, "this connection is read-only") }
      do throws(PropertyProblem) { try edit.set.checkNew() } catch {
        return refuse(edit, code: .badValue, error.message)
      }
      let longest = Operation(shape: edit.shape, at: Stamp(time: .max, actor: actor), set: edit.set)
      guard messageLimits.allows(longest) else { return refuse(edit, code: .badValue, Replica.tooLong) }
    }
    let milliseconds = stampMilliseconds(at: now)
    var edits = edits.filter { !$0.set.assigned.isEmpty }
    guard !edits.isEmpty else { return }
    if edits.contains(where: { $0.set.deleted }) {
      // Lines get their ends before the shapes go, in case the deletions take several messages.
      var trial = clock
      let ends = optimistic.shown.ends(ofLinesThrough: trial.stamped(edits, milliseconds: milliseconds))
      edits.insert(contentsOf: ends, at: edits.lastIndex { !$0.set.deleted }.map { $0 + 1 } ?? 0)
    }
    let operations = clock.stamped(edits, milliseconds: milliseconds)
    let number = outbox.newEdit()
    var changes: [Change] = []
    changes.reserveCapacity(operations.count)
    history.beginGroup()
    for operation in operations {
      optimistic.hold(operation.shape)
      let (change, replaced) = history.apply(operation, to: &optimistic.shown)
      tellDeparture(by: operation, change)
      if !change.isEmpty { changes.append(change) }
      enqueue(operation, edit: number, replaced: replaced)
    }
    history.endGroup()
    tell(changes, by: .own)
  }

  public static var tooLong: Text { "this is longer than the server takes in one message" }

  /// The time for the stamps of what is written now. Until the server has told its time, the monotonic clock makes up for
  /// a wall clock that is set back.
  private mutating func stampMilliseconds(at now: Moment) -> UInt64 {
    guard connection.serverTime.isGuess else { return serverMilliseconds(at: now) }
    let ahead = max(wallAheadAtStamps ?? .min, now.wallAhead)
    wallAheadAtStamps = ahead
    var now = now
    now.wallMilliseconds &+= UInt64(bitPattern: ahead &- now.wallAhead)
    return serverMilliseconds(at: now)
  }

  /// Shows what an undo or redo has written. A line that gets back its place keeps that: its step wrote it when the
  /// shapes were where the step had moved them.
  private mutating func show(_ written: [Operation], milliseconds: UInt64) {
    guard !written.isEmpty else { return }
    var operations = written
    var placed = IdentifierSet()
    for operation in written where !operation.set.assigned.intersection([.position, .size, .path]).isEmpty {
      placed.insert(operation.shape)
    }
    let ends = optimistic.shown.ends(ofLinesThrough: operations).filter { !placed.contains($0.shape) }
    operations += clock.stamped(ends, milliseconds: milliseconds)
    let number = outbox.newEdit()
    var changes: [Change] = []
    for operation in operations {
      changes.append(apply(operation))
      enqueue(operation, edit: number)
    }
    tell(changes.filter { !$0.isEmpty }, by: .own)
  }

  /// Shows an operation of this replica's that is not in the outbox yet.
  private mutating func apply(_ operation: Operation) -> Change {
    optimistic.hold(operation.shape)
    return optimistic.shown.apply(operation)
  }

  /// Deletes a shape whose creation was refused. A change of its kind is in flight, so the server may still make it.
  mutating func deleteWhatIsLeft(of shape: Identifier, at now: Moment) -> Change {
    var set = Properties()
    set.delete()
    let stamp = clock.tick(milliseconds: serverMilliseconds(at: now))
    let operation = Operation(shape: shape, at: stamp, set: set)
    let change = apply(operation)
    enqueue(operation, edit: outbox.newEdit())
    return change
  }

  private mutating func enqueue(_ operation: Operation, edit: UInt64, replaced: ReplacedValues? = nil) {
    let dropped = outbox.append(operation, edit: edit, replaced: replaced)
    if dropped > 0 { optimistic.release(operation.shape, count: dropped) }
  }

  /// Whether the client may only view. Its edits are refused here, so they never appear on its own screen.
  private var isLookingOn: Bool { configuration.readonly || role == .viewer }

  private mutating func refuse(_ edit: ShapeEdit, code: RejectCode, _ message: Text) {
    let operation = ProposedOperation(shape: edit.shape, at: nil, set: edit.set)
    effects.append(.rejected(RejectedEdit(operation: operation, code: code, message: message)))
  }
}
