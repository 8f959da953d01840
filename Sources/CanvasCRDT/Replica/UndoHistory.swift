/// One user's undo and redo steps.
///
/// A step is everything that one gesture writes. Undoing a step writes the earlier values again under new stamps.
/// Registers that no longer have the step's value are skipped, because somebody else has changed them since.
///
/// Because undoing writes new stamps, a register's stamp alone doesn't tell whether the register is as an earlier step
/// left it. Therefore an alias connects the new stamp of a restored value with its original stamp, and original stamps
/// are compared. So a step stays unchanged while it moves between the two lists, and undoing and redoing can go on for
/// ever. Only shapes that an undo or redo deletes or brings back are recorded anew, with the values that other people
/// wrote meanwhile.
///
/// The server may refuse the writes of an undo or redo. The step then goes back to its former list: see `Exchange`.
public struct UndoHistory: Sendable {
  /// An upper bound on the steps, to limit the memory. Nobody undoes this many steps.
  public static let stepsMax = 1_000

  /// An upper bound on the shapes in all steps together; each takes about 300 bytes. The newest step is kept whatever
  /// its size.
  public static let shapesMax = 100_000

  /// An upper bound on turns (step numbers). A greater turn in a saved history is invalid.
  static let turnMax: UInt64 = 1 << 48

  /// An upper bound on the former actors that are remembered. Without it, a server that gives a new actor on each
  /// connection could fill the memory.
  static let formerMax = 100

  /// The least value of `aliasesMax`. With fewer aliases, dropping unneeded ones isn't worth the work.
  private static let aliasesMin = 1_024

  struct Step: Sendable {
    var entries: [Entry] = []

    /// The step's number, which it gets when it is put on the undo list or the redo list. Later steps on a list have
    /// greater numbers.
    var turn: UInt64 = 0

    /// Set if an undo found nothing to do for this step and undid the next older step instead. The value is the older
    /// step's turn on the redo list. Redoing the older step also brings this step back.
    var passedOverFor: UInt64?
  }

  struct Entry: Sendable {
    let shape: Identifier
    var before: RegisterSnapshot
    var after: RegisterSnapshot
    /// The registers that the undo left unchanged, because they no longer had the step's values. A redo of the step
    /// leaves these registers unchanged too.
    var spared = PropertyMask()

    /// Whether a register still has the value that this step wrote. `now` is the shape's present state on the canvas.
    func isWritten(_ property: Property, in now: RegisterSnapshot) -> Bool {
      after.covered.contains(property) && after.stamp(of: property) == now.stamp(of: property)
        && after.stamp(of: property) != before.stamp(of: property)
    }
  }

  /// The stamp under which a register's value was first written, if it isn't the register's current stamp. `original`
  /// is `nil` if the register did not exist then. While the server can still refuse the current stamp, the alias of the
  /// previous stamp is kept too.
  struct Alias: Sendable {
    let property: Property
    var current: Stamp
    var original: Stamp?
  }

  var undoable: [Step] = []
  var redoable: [Step] = []
  /// The aliases of each shape. For each register, the newest alias is last.
  var aliases = IdentifierMap<[Alias]>()
  /// The last stamp of each actor that this user had before, the newest last.
  var former: [Stamp] = []
  /// When more shapes than this have aliases, the aliases that no step needs are searched for and dropped.
  private var aliasesMax = UndoHistory.aliasesMin
  /// How many searches for unneeded aliases have been made. For tests.
  private(set) var aliasLooks = 0
  var shapesRemembered = 0
  var lastTurn: UInt64 = 0

  /// Undos and redos that the server has not answered yet, the oldest first.
  var exchanges: [Exchange] = []

  /// The step that is still being made, and each shape's index in it.
  var open = Step()
  var places = IdentifierMap<Int>()
  var openGroups = 0

  public init() {}

  public var canUndo: Bool { !undoable.isEmpty || !open.entries.isEmpty }
  public var canRedo: Bool { !redoable.isEmpty && open.entries.isEmpty }
}

// MARK: - Recording

extension UndoHistory {
  /// Makes all writes until the matching `endGroup` one step. Nested groups are part of the outermost one.
  public mutating func beginGroup() {
    openGroups += 1
  }

  public mutating func endGroup() {
    guard openGroups > 0 else { return }
    openGroups -= 1
    if openGroups == 0 { closeStep() }
  }

  /// Applies one of the user's own operations, and records the values that it replaced. Outside a group, the operation
  /// is a step by itself.
  mutating func apply(
    _ operation: borrowing Operation,
    to canvas: inout Canvas
  ) -> (change: Change, replaced: ReplacedValues) {
    let shape = operation.shape
    let before = replaced(by: operation, on: canvas)
    let covered = before.covered
    let change = canvas.apply(operation)
    let after = snapshot(of: covered, in: shape, on: canvas)
    var replaced = ReplacedValues(values: before)
    if let place = places[shape] {
      for property in covered {
        if open.entries[place].isWritten(property, in: before) { replaced.ofSameStep.insert(property) }
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
    return (change, replaced)
  }

  /// The registers that an operation is about to write or to erase.
  func replaced(by operation: borrowing Operation, on canvas: Canvas) -> RegisterSnapshot {
    var covered = operation.set.assigned.inserting(.deleted)
    if operation.set.deleted { covered = covered.union(canvas.registers(of: operation.shape)) }
    return snapshot(of: covered, in: operation.shape, on: canvas)
  }

  mutating func closeStep() {
    guard !open.entries.isEmpty else { return }
    // The redoable steps are dropped only now that the step is complete, because an abandoned step must not drop them.
    forgetRedoable()
    open.turn = newTurn()
    undoable.append(open)
    shapesRemembered += open.entries.count
    open = Step()
    places.removeAll()
    trim()
  }

  mutating func newTurn() -> UInt64 {
    lastTurn += 1
    return lastTurn
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
    // Aliases that no step and no unanswered undo refers to are dropped. The next search comes when the number of
    // shapes with aliases has doubled.
    if aliases.count > max(aliasesMax, UndoHistory.aliasesMin + shapesRemembered) { forgetUnnamedAliases() }
  }

  private mutating func forgetUnnamedAliases() {
    var named = IdentifierSet()
    for step in undoable + redoable { for entry in step.entries { named.insert(entry.shape) } }
    for exchange in exchanges { for shape in exchange.parts.keys { named.insert(shape) } }
    aliases.removeAll { shape, _ in !named.contains(shape) }
    aliasesMax = max(UndoHistory.aliasesMin, 2 * aliases.count)
    aliasLooks += 1
  }

  func snapshot(of covered: PropertyMask, in shape: Identifier, on canvas: Canvas) -> RegisterSnapshot {
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

  /// The stamp under which a register's present value was first written. `nil` if the register has no value. Also `nil`
  /// if the register did not exist until an undo or redo wrote the default value.
  func originalStamp(of property: Property, in shape: Identifier, on canvas: Canvas) -> Stamp? {
    guard let current = canvas.stamp(of: property, in: shape) else { return nil }
    guard let alias = aliases[shape]?.last(where: { $0.property == property && $0.current == current }) else {
      return current
    }
    return alias.original
  }
}
