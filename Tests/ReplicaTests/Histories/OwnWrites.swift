@testable import CanvasCRDT

/// All writes of one replica in order, and what became of each. This type doesn't use the undo history, but compares
/// the outbox before and after each event.
struct OwnWrites {
  struct Write {
    let shape: Identifier
    let set: Properties
    /// Whether an undo or redo made this write.
    let isExchange: Bool
    /// All stamps that the write has had, oldest first. Later stamps can have another actor.
    var stamps: [Stamp]
    /// The properties whose values are lost. The server refused the value, or refused another value that had replaced
    /// it.
    var gone = PropertyMask()

    /// The values that are not lost.
    var left: Properties {
      var left = set
      left.clear(gone)
      return left
    }
  }

  /// A value that a newer edit replaced before it was sent.
  private struct Value: Hashable {
    let write: Int
    let property: Property
  }

  private(set) var all: [Write] = []
  private var places: [Stamp: Int] = [:]
  private var replacements: [Value: Int] = [:]
  private(set) var refused: [Int] = []
  /// Whether there was an event whose effect on the writes can't be determined.
  private(set) var isUnsure = false

  /// Whether the server has refused what an undo or redo wrote. It can also have refused an edit that replaced such a
  /// write before it was sent.
  var isExchangeRefused: Bool { all.contains { $0.isExchange && $0.gone != PropertyMask() } }

  func place(of stamp: Stamp) -> Int? { places[stamp] }

  /// Updates the writes after an event.
  mutating func follow(from before: Replica, to after: Replica, _ effects: [ReplicaEffect]) {
    let old = OwnWrites.pending(before).map(\.operation)
    let pending = OwnWrites.pending(after)
    let new = pending.map(\.operation)
    // A replica can give its pending edits new stamps at two moments: when it gets the `welcome`, and when the room's
    // state has arrived.
    if before.state != after.state, after.state.isJoined { followNewStamps(from: old, to: new) }
    let first = all.count
    for pending in pending where places[pending.operation.at] == nil {
      let operation = pending.operation
      places[operation.at] = all.count
      all.append(
        Write(shape: operation.shape, set: operation.set, isExchange: pending.replaced == nil, stamps: [operation.at])
      )
    }
    if all.count > first { followReplaced(old, new, by: first..<all.count) }
    for case .rejected(let edit) in effects {
      guard let stamp = edit.operation.at, let place = places[stamp] else { continue }
      refused.append(place)
      for property in edit.operation.set.assigned { lose(Value(write: place, property: property)) }
    }
  }

  /// Finds the new stamps of edits. Edits keep their order, but some can be dropped or lose values.
  private mutating func followNewStamps(from old: [Operation], to new: [Operation]) {
    // The search starts at the end, because the oldest edits might have been dropped. Most edits keep their time, so
    // the time is compared first.
    var rest = old[...]
    for after in new.reversed() {
      let match =
        rest.lastIndex { $0.at.time == after.at.time }
        ?? rest.lastIndex { $0.shape == after.shape && after.set.assigned.subtracting($0.set.assigned).isEmpty }
      guard let match, let place = places[rest[match].at] else {
        isUnsure = true
        return
      }
      rest = rest[..<match]
      guard places[after.at] == nil else { continue }
      places[after.at] = place
      all[place].stamps.append(after.at)
    }
  }

  private mutating func followReplaced(_ old: [Operation], _ new: [Operation], by newest: Range<Int>) {
    let left = Dictionary(uniqueKeysWithValues: new.map { ($0.at, $0.set.assigned) })
    for operation in old {
      guard let place = places[operation.at] else { continue }
      for property in operation.set.assigned where !(left[operation.at]?.contains(property) ?? false) {
        let replacement = newest.last { newer in
          all[newer].shape == operation.shape && (all[newer].set.deleted || all[newer].set.assigned.contains(property))
        }
        if let replacement { replacements[Value(write: place, property: property)] = replacement }
      }
    }
  }

  /// Marks a refused value as lost. If the value had replaced older values before they were sent, they are lost too.
  private mutating func lose(_ value: Value) {
    guard !all[value.write].gone.contains(value.property) else { return }
    all[value.write].gone.insert(value.property)
    for (older, newer) in replacements where newer == value.write {
      if older.property == value.property || value.property == .deleted { lose(older) }
    }
  }

  private static func pending(_ replica: Replica) -> [Outbox.Pending] {
    var pending: [Outbox.Pending] = []
    replica.outbox.forEach { pending.append($0) }
    return pending
  }
}
