// Changes to the history that follow from the server's answers: refused operations are forgotten, and stamps are
// replaced.

extension UndoHistory {
  /// Forgets edits that the server has refused. They can't be undone. If an undo would write a value of such an edit,
  /// it writes the value that the edit had replaced. A value that an undo or redo has written again stays.
  /// - Returns: the refused edits, with the values that stay.
  @discardableResult
  mutating func forget(_ refused: RefusedEdits, on canvas: Canvas) -> RefusedEdits {
    var refused = refused
    for shape in refused.shapes {
      guard var ofShape = aliases[shape] else { continue }
      let isLive = canvas.contains(shape)
      refused.update(shape) { edit in
        for alias in ofShape where alias.original == edit.stamp {
          // A deleted shape has lost its stamps. If it comes back, it has the values that were written last.
          let present =
            isLive
            ? canvas.stamp(of: alias.property, in: shape)
            : ofShape.last { $0.property == alias.property }?.current
          if alias.current == present { edit.replaced.standing.insert(alias.property) }
        }
        for place in ofShape.indices { ofShape[place].forget(edit) }
        aliases[shape] = ofShape
        // An undo that has passed over the edit goes on from the value that is there again.
        for var alias in ofShape where alias.current == edit.stamp {
          guard let present = canvas.stamp(of: alias.property, in: shape),
            originalStamp(of: alias.property, in: shape, on: canvas) == edit.replaced.values.stamp(of: alias.property)
          else { continue }
          replaceAlias(of: alias.property, in: shape, at: edit.stamp, by: nil)
          alias.current = present
          replaceAlias(of: alias.property, in: shape, at: present, by: alias.original == present ? nil : alias)
        }
        ofShape = aliases[shape] ?? []
      }
    }
    func forget(in steps: inout [Step]) {
      for index in steps.indices { UndoHistory.forget(refused, in: &steps[index].entries) }
      steps.removeAll { $0.entries.isEmpty }
    }
    forget(in: &undoable)
    forget(in: &redoable)
    UndoHistory.forget(refused, in: &open.entries)
    for index in exchanges.indices {
      UndoHistory.forget(refused, in: &exchanges[index].rest)
      for shape in refused.shapes {
        if exchanges[index].parts[shape]?.entry.forget(refused[shape]) == false { exchanges[index].parts[shape] = nil }
        guard var standIns = exchanges[index].standIns[shape] else { continue }
        for edit in refused[shape] { for place in standIns.indices { standIns[place].alias?.forget(edit) } }
        exchanges[index].standIns[shape] = standIns
      }
    }
    places.removeAll()
    for (place, entry) in open.entries.enumerated() { places[entry.shape] = place }
    shapesRemembered = 0
    for step in undoable { shapesRemembered += step.entries.count }
    for step in redoable { shapesRemembered += step.entries.count }
    return refused
  }

  private static func forget(_ refused: RefusedEdits, in entries: inout [Entry]) {
    entries = entries.compactMap { entry in
      let edits = refused[entry.shape]
      guard !edits.isEmpty else { return entry }
      var entry = entry
      return entry.forget(edits) ? entry : nil
    }
  }

  /// Called when the user continues as another actor. `last` is the last stamp of the former actor.
  mutating func leave(_ last: Stamp) {
    former.append(last)
    if former.count > UndoHistory.formerMax { former.removeFirst() }
  }

  /// Whether the user wrote this stamp as a former actor. Each entry of `former` is the last stamp that the user wrote
  /// as that actor. If somebody used the actor later, the stamp is greater.
  func isFormer(_ stamp: Stamp) -> Bool {
    former.contains { $0.actor == stamp.actor && stamp <= $0 }
  }

  /// All stamps of an actor in the history that are later than `time`, sorted, without repeats.
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

  /// Updates the history after operations were given new stamps.
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
  /// Removes refused edits from the entry. Returns whether something remains that can be undone.
  fileprivate mutating func forget(_ edits: [RefusedEdit]) -> Bool { edits.allSatisfy { forget($0) } }

  private mutating func forget(_ edit: RefusedEdit) -> Bool {
    let replaced = edit.replaced
    before.forget(edit.stamp, replaced.values, of: replaced.leaving)
    let touched = after.forget(edit.stamp, replaced.values, of: replaced.leaving)
    // Nothing that this step wrote is left in these registers. So the step no longer covers them.
    for property in touched.intersection(.registers).subtracting(replaced.ofSameStep) {
      before.uncover(property)
      after.uncover(property)
    }
    return touched.isEmpty || !after.isEmpty
  }
}

extension UndoHistory.Alias {
  fileprivate mutating func forget(_ edit: RefusedEdit) {
    guard original == edit.stamp, !edit.replaced.standing.contains(property) else { return }
    original = edit.replaced.values.stamp(of: property)
  }
}

/// Old stamps and their replacements, in rising order.
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
  /// The index of a stamp in a sorted list, or the index at which it would be inserted.
  fileprivate func rank(of stamp: Stamp) -> Int { partitionIndex { self[$0] < stamp } }
}
