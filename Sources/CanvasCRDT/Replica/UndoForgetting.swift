// Keeps the history in step with the server's answers: refused operations are forgotten, new stamps are followed.

extension UndoHistory {
  /// Forgets what the server has refused: it can't be undone, and no undo writes it again. In its place comes what would be
  /// there without it, so a step of which only the last write was refused still undoes its earlier ones.
  mutating func forget(_ refused: RefusedWrites, actor: Identifier) {
    guard !refused.isEmpty else { return }
    let own = formerActors + [actor]
    UndoHistory.forget(refused, by: own, in: &undoable)
    UndoHistory.forget(refused, by: own, in: &redoable)
    var steps = [open]
    UndoHistory.forget(refused, by: own, in: &steps)
    open = steps.first ?? Step()
    for index in exchanges.indices {
      for shape in exchanges[index].parts.keys {
        if exchanges[index].parts[shape]?.entry.forget(refused, by: own) == false {
          exchanges[index].parts[shape] = nil
        }
      }
      exchanges[index].rest = UndoHistory.forgetting(refused, by: own, in: exchanges[index].rest)
      for shape in exchanges[index].standIns.keys {
        guard var standIns = exchanges[index].standIns[shape] else { continue }
        for place in standIns.indices { standIns[place].alias?.forget(refused) }
        exchanges[index].standIns[shape] = standIns
      }
    }
    for shape in aliases.keys {
      guard var ofShape = aliases[shape] else { continue }
      for place in ofShape.indices { ofShape[place].forget(refused) }
      aliases[shape] = ofShape
    }
    places.removeAll()
    for (place, entry) in open.entries.enumerated() { places[entry.shape] = place }
    shapesRemembered = 0
    for step in undoable { shapesRemembered += step.entries.count }
    for step in redoable { shapesRemembered += step.entries.count }
  }

  private static func forget(_ refused: RefusedWrites, by own: [Identifier], in steps: inout [Step]) {
    for index in steps.indices { steps[index].entries = forgetting(refused, by: own, in: steps[index].entries) }
    steps.removeAll { $0.entries.isEmpty }
  }

  private static func forgetting(_ refused: RefusedWrites, by own: [Identifier], in entries: [Entry]) -> [Entry] {
    entries.compactMap { entry in
      var entry = entry
      return entry.forget(refused, by: own) ? entry : nil
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
  fileprivate mutating func forget(_ refused: RefusedWrites, by own: [Identifier]) -> Bool {
    _ = before.forget(refused)
    let touched = after.forget(refused)
    for property in touched.intersection(.registers) {
      let stamp = after.stamp(of: property)
      // Nothing of this step is left in the register: it is as before, or has another's value.
      guard stamp == before.stamp(of: property) || stamp.map({ !own.contains($0.actor) }) ?? false else { continue }
      before.uncover(property)
      after.uncover(property)
    }
    return touched.isEmpty || !after.isEmpty
  }
}

extension RegisterSnapshot {
  /// Takes what would be there without refused writes in the place of what these wrote. Returns which registers changed.
  fileprivate mutating func forget(_ refused: RefusedWrites) -> PropertyMask {
    var touched = PropertyMask()
    for property in covered {
      guard let stamp = stamp(of: property), let past = refused.past(of: stamp) else { continue }
      // Without a deletion, all that it had erased is there.
      let changed = property == .deleted ? covered : PropertyMask().inserting(property)
      for property in changed { set(property, from: past) }
      touched = touched.union(changed)
      if property == .deleted || property == .kind { isLive = past.isLive }
    }
    return touched
  }
}

extension UndoHistory.Alias {
  fileprivate mutating func forget(_ refused: RefusedWrites) {
    if let stamp = original, let past = refused.past(of: stamp) { original = past.stamp(of: property) }
  }
}

/// Operations that the server has refused, each with what its registers would hold without it. They are entered in rising
/// order of their stamps.
struct RefusedWrites {
  private var stamps: [Stamp] = []
  private var pasts: [RegisterSnapshot] = []

  var isEmpty: Bool { stamps.isEmpty }

  mutating func enter(_ stamp: Stamp, past: RegisterSnapshot) {
    let index = stamps.rank(of: stamp)
    stamps.insert(stamp, at: index)
    pasts.insert(past, at: index)
  }

  fileprivate func past(of stamp: Stamp) -> RegisterSnapshot? {
    let index = stamps.rank(of: stamp)
    return index < stamps.count && stamps[index] == stamp ? pasts[index] : nil
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
}
