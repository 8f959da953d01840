// Keeps the history in step with the server's answers: refused operations are forgotten, new stamps are followed.

extension UndoHistory {
  /// Forgets operations that the server has refused: they can't be undone.
  public mutating func forget(_ operations: [Operation]) {
    let stamps = operations.map { $0.at }.sorted()
    guard !stamps.isEmpty else { return }
    UndoHistory.forget(stamps, in: &undoable)
    UndoHistory.forget(stamps, in: &redoable)
    var steps = [open]
    UndoHistory.forget(stamps, in: &steps)
    open = steps.first ?? Step()
    for index in exchanges.indices {
      for shape in exchanges[index].parts.keys {
        if exchanges[index].parts[shape]?.entry.forget(stamps) == false { exchanges[index].parts[shape] = nil }
      }
      exchanges[index].rest = exchanges[index].rest.compactMap { entry in
        var entry = entry
        return entry.forget(stamps) ? entry : nil
      }
    }
    places.removeAll()
    for (place, entry) in open.entries.enumerated() { places[entry.shape] = place }
    shapesRemembered = 0
    for step in undoable { shapesRemembered += step.entries.count }
    for step in redoable { shapesRemembered += step.entries.count }
  }

  private static func forget(_ stamps: [Stamp], in steps: inout [Step]) {
    for index in steps.indices {
      steps[index].entries = steps[index].entries.compactMap { entry in
        var entry = entry
        return entry.forget(stamps) ? entry : nil
      }
    }
    steps.removeAll { $0.entries.isEmpty }
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

  /// Follows operations that were given new stamps.
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
  fileprivate mutating func forget(_ stamps: [Stamp]) -> Bool {
    let wasLive = before.isLive
    var isTouched = false
    for property in after.covered {
      guard let stamp = after.stamp(of: property), stamps.holds(stamp) else { continue }
      isTouched = true
      before.uncover(property)
      after.uncover(property)
      if property == .deleted { after.isLive = wasLive }
    }
    return !isTouched || !after.isEmpty && after.covered.contains(.deleted)
  }
}

/// Stamps that were replaced, each with its replacement. They are entered in rising order, as an outbox has them.
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

  /// Whether a rising list contains a stamp.
  fileprivate func holds(_ stamp: Stamp) -> Bool {
    let rank = rank(of: stamp)
    return rank < count && self[rank] == stamp
  }
}
