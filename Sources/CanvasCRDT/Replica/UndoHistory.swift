/// One actor's steps, to be undone and redone.
///
/// A step is the writes of one gesture. Undoing it writes the earlier values again under new stamps, and skips every
/// register that no longer holds the step's value: someone else has changed it since.
///
/// Undoing writes new stamps, so a register's stamp alone doesn't tell whether the register is as an earlier step left
/// it. So, for each register that it wrote back, the history remembers the stamp under which the value was first
/// written, and compares that. A step stays unchanged while it moves between the two lists, and undoing and redoing can
/// go on for ever. Only shapes that an undo or redo deletes or brings back are recorded again, with the values that
/// others wrote meanwhile.
///
/// The server may refuse the writes of an undo or redo. The step then goes back to its former list: see `Exchange`.
public struct UndoHistory: Sendable {
  /// More steps than anyone goes back. It bounds the memory.
  public static let stepsMax = 1_000

  /// How many shapes all steps together may remember, about 300 bytes each. The newest step is kept whatever its size.
  public static let shapesMax = 100_000

  /// A saved turn greater than this is invalid. Nobody makes this many turns.
  static let turnMax: UInt64 = 1 << 48

  /// The most former actors that are remembered, so that a server that gives a new actor each time doesn't fill the
  /// memory. Nobody becomes this many.
  static let formerMax = 100

  /// With fewer aliases than this, looking for those that no step needs isn't worth the work.
  private static let aliasesMin = 1_024

  struct Step: Sendable {
    var entries: [Entry] = []

    /// When the step was put on its list. Within each list, turns rise.
    var turn: UInt64 = 0

    /// If an undo found nothing to do here and went on to the step below: the turn in which that step was put on the
    /// list of undone steps. Redoing that step brings this one back too.
    var passedOverFor: UInt64?
  }

  struct Entry: Sendable {
    let shape: Identifier
    var before: RegisterSnapshot
    var after: RegisterSnapshot
    /// The registers that undoing left alone. Redoing leaves them alone too.
    var spared = PropertyMask()

    /// Whether a register of the canvas, which is `now`, still has what this step wrote.
    func isWritten(_ property: Property, in now: RegisterSnapshot) -> Bool {
      after.covered.contains(property) && after.stamp(of: property) == now.stamp(of: property)
        && after.stamp(of: property) != before.stamp(of: property)
    }
  }

  /// A register's current stamp, and the earlier stamp that it stands for because the value is the same. `original` is
  /// `nil` if the register did not exist. While the server may still refuse the write under the current stamp, the
  /// alias of the stamp before it is kept too.
  struct Alias: Sendable {
    let property: Property
    var current: Stamp
    var original: Stamp?
  }

  var undoable: [Step] = []
  var redoable: [Step] = []
  /// By shape; for each register the newest last.
  var aliases = IdentifierMap<[Alias]>()
  /// The last stamp of each actor that the user has been before, the newest last.
  var former: [Stamp] = []
  /// When more shapes than this have aliases, the aliases that no step needs are searched for and dropped.
  private var aliasesMax = UndoHistory.aliasesMin
  /// How many such searches there were, for tests.
  private(set) var aliasLooks = 0
  var shapesRemembered = 0
  var lastTurn: UInt64 = 0

  /// Undos and redos that the server has not answered yet, the oldest first.
  var exchanges: [Exchange] = []

  /// The step that is being made, and each shape's index in it.
  var open = Step()
  var places = IdentifierMap<Int>()
  var openGroups = 0

  public init() {}

  public var canUndo: Bool { !undoable.isEmpty || !open.entries.isEmpty }
  public var canRedo: Bool { !redoable.isEmpty && open.entries.isEmpty }
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

  /// Applies one of the user's own operations and remembers what it replaced. Outside a group, it is a step of its own.
  mutating func apply(
    _ operation: borrowing Operation,
    to canvas: inout Canvas
  ) -> (change: Change, replaced: ReplacedValues) {
    let shape = operation.shape
    var covered = operation.set.assigned.inserting(.deleted)
    if operation.set.deleted { covered = covered.union(canvas.registers(of: shape)) }
    let before = snapshot(of: covered, in: shape, on: canvas)
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

  mutating func closeStep() {
    guard !open.entries.isEmpty else { return }
    // Not earlier: an abandoned step must leave what can be redone as it was.
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
    // An alias that no step names is never asked for again. An undo that the server has not answered names its aliases,
    // so these stay. If none can be dropped, the next search waits until there are twice as many.
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

  /// The stamp under which a register's value was first written. `nil` if the register has no value, or its value
  /// stands for none.
  func originalStamp(of property: Property, in shape: Identifier, on canvas: Canvas) -> Stamp? {
    guard let current = canvas.stamp(of: property, in: shape) else { return nil }
    guard let alias = aliases[shape]?.last(where: { $0.property == property && $0.current == current }) else {
      return current
    }
    return alias.original
  }
}
