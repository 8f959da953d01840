/// One user's steps, to be undone and redone.
///
/// A step is everything that one gesture writes. Undoing a step writes the earlier values again under new stamps.
/// Registers that no longer hold the step's value are skipped, because somebody else has changed them since.
///
/// Because undoing writes new stamps, a register's stamp alone doesn't tell whether the register is as an earlier step
/// left it. Therefore the history remembers, for each register that was written back, under which stamp the value was
/// first written. This original stamp is the one that is compared. So a step stays unchanged while it moves between the
/// two lists, and undoing and redoing can go on for ever. Only shapes that an undo or redo deletes or brings back are
/// recorded anew, with the values that other people wrote meanwhile.
///
/// The server may refuse the writes of an undo or redo. The step then goes back to its former list: see `Exchange`.
public struct UndoHistory: Sendable {
  /// An upper bound on the steps, which bounds the memory. Nobody undoes this many steps.
  public static let stepsMax = 1_000

  /// An upper bound on the shapes that all steps together remember; each takes about 300 bytes. The newest step is kept
  /// whatever its size.
  public static let shapesMax = 100_000

  /// An upper bound on turns. Nobody makes this many, so a greater turn in a saved history is invalid.
  static let turnMax: UInt64 = 1 << 48

  /// An upper bound on the former actors that are remembered. No user becomes this many actors. Without the bound, a
  /// server that gives a new actor each time could fill the memory.
  static let formerMax = 100

  /// Below this number of shapes with aliases, a search for aliases that no step needs isn't worth the work.
  private static let aliasesMin = 1_024

  struct Step: Sendable {
    var entries: [Entry] = []

    /// A number that says when the step was put on its list. Within each list, turns rise.
    var turn: UInt64 = 0

    /// Set if an undo found nothing to do for this step and went on to the step below. The value is the turn in which
    /// the step below was put on the redoable list. Redoing the step below also brings this step back.
    var passedOverFor: UInt64?
  }

  struct Entry: Sendable {
    let shape: Identifier
    var before: RegisterSnapshot
    var after: RegisterSnapshot
    /// The registers that undoing left unchanged, because they no longer held the step's values. Redoing leaves them
    /// unchanged too.
    var spared = PropertyMask()

    /// Whether a register still has what this step wrote. `now` is the shape's present state on the canvas.
    func isWritten(_ property: Property, in now: RegisterSnapshot) -> Bool {
      after.covered.contains(property) && after.stamp(of: property) == now.stamp(of: property)
        && after.stamp(of: property) != before.stamp(of: property)
    }
  }

  /// A register's current stamp, and the earlier stamp that the current one stands for because both have the same
  /// value. `original` is `nil` if the register did not exist. While the server may still refuse the write under the
  /// current stamp, the alias of the register's previous stamp is kept too.
  struct Alias: Sendable {
    let property: Property
    var current: Stamp
    var original: Stamp?
  }

  var undoable: [Step] = []
  var redoable: [Step] = []
  /// The aliases of each shape. For each register, the newest alias comes last.
  var aliases = IdentifierMap<[Alias]>()
  /// The last stamp of each actor that the user was before. The newest comes last.
  var former: [Stamp] = []
  /// When more shapes than this have aliases, a search finds and drops the aliases that no step needs.
  private var aliasesMax = UndoHistory.aliasesMin
  /// How many such searches have been made. For tests.
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
  /// Makes all writes until the matching `endGroup` one step. Inner groups are part of the outermost group.
  public mutating func beginGroup() {
    openGroups += 1
  }

  public mutating func endGroup() {
    guard openGroups > 0 else { return }
    openGroups -= 1
    if openGroups == 0 { closeStep() }
  }

  /// Applies one of the user's own operations, and remembers the values that it replaced. Outside a group, the
  /// operation is a step of its own.
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
    // The redoable steps are dropped only here, when the step is complete, because an abandoned step must leave them as
    // they were.
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
    // An alias that no step names is never needed again. An undo that the server has not answered names its aliases, so
    // they stay. If a search drops no alias, the next search comes when the number of aliases has doubled.
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

  /// The stamp under which a register's present value was first written. `nil` if the register has no value, or if its
  /// value stands for a register that did not exist.
  func originalStamp(of property: Property, in shape: Identifier, on canvas: Canvas) -> Stamp? {
    guard let current = canvas.stamp(of: property, in: shape) else { return nil }
    guard let alias = aliases[shape]?.last(where: { $0.property == property && $0.current == current }) else {
      return current
    }
    return alias.original
  }
}
