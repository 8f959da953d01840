// Updates the history by the server's answers: refused operations are forgotten, and new stamps are followed.

extension UndoHistory {
  /// Forgets an edit that the server has refused: it can't be undone, and no undo writes it again. The values that it
  /// had replaced take its place. Values that an undo or redo has since written again belong to other operations.
  mutating func forget(_ operation: Operation, _ replaced: ReplacedValues, on canvas: Canvas) {
    let stamp = operation.at
    let shape = operation.shape
    var replaced = replaced
    for alias in aliases[shape] ?? []
    where alias.original == stamp && alias.current == canvas.stamp(of: alias.property, in: shape) {
      replaced.standing.insert(alias.property)
    }
    func forget(in steps: inout [Step]) {
      for index in steps.indices { UndoHistory.forget(stamp, replaced, of: shape, in: &steps[index].entries) }
      steps.removeAll { $0.entries.isEmpty }
    }
    forget(in: &undoable)
    forget(in: &redoable)
    UndoHistory.forget(stamp, replaced, of: shape, in: &open.entries)
    for index in exchanges.indices {
      if exchanges[index].parts[shape]?.entry.forget(stamp, replaced) == false { exchanges[index].parts[shape] = nil }
      UndoHistory.forget(stamp, replaced, of: shape, in: &exchanges[index].rest)
      guard var standIns = exchanges[index].standIns[shape] else { continue }
      for place in standIns.indices { standIns[place].alias?.forget(stamp, replaced) }
      exchanges[index].standIns[shape] = standIns
    }
    if var ofShape = aliases[shape] {
      for place in ofShape.indices { ofShape[place].forget(stamp, replaced) }
      aliases[shape] = ofShape
    }
    places.removeAll()
    for (place, entry) in open.entries.enumerated() { places[entry.shape] = place }
    shapesRemembered = 0
    for step in undoable { shapesRemembered += step.entries.count }
    for step in redoable { shapesRemembered += step.entries.count }
  }

  private static func forget(
    _ stamp: Stamp,
    _ replaced: ReplacedValues,
    of shape: Identifier,
    in entries: inout [Entry]
  ) {
    entries = entries.compactMap { entry in
      guard entry.shape == shape else { return entry }
      var entry = entry
      return entry.forget(stamp, replaced) ? entry : nil
    }
  }

  /// An actor's stamps that are later than a time, in rising order, each once.
  func stamps(by actor: Identifier, after time: UInt64) -> [Stamp] {
    var found: [Stamp] = []
    func take(_ stamp: Stamp?) {
      if let stamp, stamp.actor == actor, stamp.time > time { found.append(stamp) }
    }
    func take(_ entry: Entry) {
      entry.before.stamps.forEach(take)
      entry.after.stamps.forEach(take)
    }
    func take(_ alias: Alias) {
      take(alias.current)
      take(alias.original)
    }
    for step in undoable + redoable + [open] { step.entries.forEach(take) }
    for exchange in exchanges {
      for part in exchange.parts.values {
        take(part.stamp)
        take(part.entry)
      }
      for standIn in exchange.standIns.values.joined() {
        take(standIn.current)
        if let alias = standIn.alias { take(alias) }
      }
      exchange.rest.forEach(take)
    }
    for alias in aliases.values.joined() { take(alias) }
    var rising: [Stamp] = []
    for stamp in found.sorted() where stamp != rising.last { rising.append(stamp) }
    return rising
  }

  /// Replaces the stamps of operations that got new ones.
  mutating func restamp(_ replaced: ReplacedStamps) {
    guard !replaced.isEmpty else { return }
    UndoHistory.restamp(replaced, in: &undoable)
    UndoHistory.restamp(replaced, in: &redoable)
    for place in open.entries.indices { UndoHistory.restamp(replaced, in: &open.entries[place]) }
    for index in exchanges.indices {
      for shape in exchanges[index].parts.keys {
        guard var part = exchanges[index].parts[shape] else { continue }
        part.stamp = replaced[part.stamp] ?? part.stamp
        UndoHistory.restamp(replaced, in: &part.entry)
        exchanges[index].parts[shape] = part
      }
      for shape in exchanges[index].standIns.keys {
        guard var standIns = exchanges[index].standIns[shape] else { continue }
        for place in standIns.indices {
          standIns[place].current = replaced[standIns[place].current] ?? standIns[place].current
          if let alias = standIns[place].alias { standIns[place].alias = UndoHistory.restamped(replaced, alias) }
        }
        exchanges[index].standIns[shape] = standIns
      }
      for place in exchanges[index].rest.indices { UndoHistory.restamp(replaced, in: &exchanges[index].rest[place]) }
    }
    for shape in aliases.keys {
      guard var ofShape = aliases[shape] else { continue }
      for index in ofShape.indices { ofShape[index] = UndoHistory.restamped(replaced, ofShape[index]) }
      aliases[shape] = ofShape.isEmpty ? nil : ofShape
    }
  }

  private static func restamped(_ replaced: ReplacedStamps, _ alias: Alias) -> Alias {
    var alias = alias
    alias.current = replaced[alias.current] ?? alias.current
    if let original = alias.original { alias.original = replaced[original] ?? original }
    return alias
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

extension UndoHistory.Entry {
  /// Returns whether anything is left that can be undone.
  fileprivate mutating func forget(_ stamp: Stamp, _ replaced: ReplacedValues) -> Bool {
    let covered = PropertyMask.all.subtracting(replaced.standing)
    before.forget(stamp, replaced.values, of: covered)
    let touched = after.forget(stamp, replaced.values, of: covered)
    // Such a register has nothing of this step any more, whoever has written to it.
    for property in touched.intersection(.registers).subtracting(replaced.ofSameStep) {
      before.uncover(property)
      after.uncover(property)
    }
    return touched.isEmpty || !after.isEmpty
  }
}

extension UndoHistory.Alias {
  fileprivate mutating func forget(_ stamp: Stamp, _ replaced: ReplacedValues) {
    if original == stamp, !replaced.standing.contains(property) { original = replaced.values.stamp(of: property) }
  }
}

/// Stamps and their replacements. They are entered in rising order, which is that of an outbox.
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
}
