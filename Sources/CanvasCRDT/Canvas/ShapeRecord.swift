/// One shape's registers, or its erasure and nothing else.
///
/// A plain record of fixed size: the value and the stamp of every property lie side by side. Merging a register is one
/// comparison and one store, and a shape takes the same memory however often it is written.
struct ShapeRecord {
  let shape: Identifier

  /// The place in the log of the newest operation that changed this record.
  var changedAt: UInt64 = 0

  /// The registers' values. `assigned` tells which registers there are; if it has `deleted`, there is an erasure.
  private(set) var values = Properties()

  /// The stamp of a property that is not assigned means nothing.
  private(set) var stamps = PropertyStamps()

  init(shape: Identifier) { self.shape = shape }

  @inline(__always)
  func stamp(of property: Property) -> Stamp? {
    values.assigned.contains(property) ? stamps[property] : nil
  }

  var erasure: Stamp? { stamp(of: .deleted) }
  var registers: PropertyMask { values.assigned.intersection(.registers) }
  var isLive: Bool { values.assigned.contains(.kind) }

  /// Whether no register is left. There may be an erasure.
  var isErasureOnly: Bool { registers.isEmpty }
}

// MARK: - Merging

extension ShapeRecord {
  /// Writes `incoming` under one stamp. If there is a `digest`, the change of the live registers' hashes is added to
  /// it.
  @inline(__always)
  mutating func absorb(_ incoming: borrowing Properties, at stamp: Stamp, digest: inout CountedDigest?) -> Change {
    absorb(incoming, erasure: incoming.deleted ? stamp : nil, stampOf: { _ in stamp }, digest: &digest)
  }

  /// Merges another replica's record of the same shape.
  mutating func absorb(_ other: borrowing ShapeRecord, digest: inout CountedDigest?) -> Change {
    let stamps = other.stamps
    return absorb(
      other.values,
      erasure: other.erasure,
      stampOf: { stamps[$0] },
      digest: &digest
    )
  }

  /// The whole merge: the erasure only grows, and each register keeps the greater stamp. It is inlined so that a stamp
  /// that all properties share costs no call.
  @inline(__always)
  private mutating func absorb(
    _ incoming: borrowing Properties,
    erasure: Stamp?,
    stampOf: (Property) -> Stamp,
    digest: inout CountedDigest?
  ) -> Change {
    var change = Change(shape: shape)
    let wasLive = isLive
    let registersBefore = registers

    if let erasure {
      if let standing = self.erasure, standing >= erasure {
        if standing > erasure { change.superseded.insert(.deleted) }
      } else {
        change.changed.insert(.deleted)
        for property in registersBefore where stamps[property] <= erasure {
          change.erased.insert(property)
        }
      }
    }
    let erasedUpTo = change.changed.contains(.deleted) ? erasure : self.erasure

    for property in incoming.assigned.intersection(.registers) {
      let stamp = stampOf(property)
      // A register that is left here is newer than the erasure, so a value that loses to both has lost to the register.
      if registersBefore.contains(property), !change.erased.contains(property) {
        let standing = stamps[property]
        if stamp < standing {
          change.superseded.insert(property)
          continue
        }
        // One stamp with two values is the writer's fault. The encoded values decide, so that replicas still agree.
        if stamp == standing, !incoming.outranks(values, on: property) { continue }
      } else if let erasedUpTo, stamp <= erasedUpTo {
        if stamp < erasedUpTo { change.superseded.insert(property) }
        continue
      }
      change.changed.insert(property)
    }

    let remaining = registersBefore.subtracting(change.erased).union(change.changed.intersection(.registers))
    let isLive = remaining.contains(.kind)
    switch (wasLive, isLive) {
    case (true, true): change.lifecycle = .present
    case (true, false): change.lifecycle = .vanished
    case (false, true): change.lifecycle = .appeared
    case (false, false): change.lifecycle = .absent
    }
    guard !change.isEmpty else { return change }

    let changedRegisters = change.changed.intersection(.registers)
    if digest != nil, wasLive || isLive {
      let touched = changedRegisters.union(change.erased)
      let leaving = !wasLive ? PropertyMask() : isLive ? registersBefore.intersection(touched) : registersBefore
      let arriving = !isLive ? PropertyMask() : wasLive ? changedRegisters : remaining
      let stampAfter: (Property) -> Stamp = { changedRegisters.contains($0) ? stampOf($0) : stamps[$0] }
      digest?.all &+= difference(leaving, arriving, stampAfter)
      if !leaving.union(arriving).intersection(.rare).isEmpty {
        digest?.rare &+= difference(leaving.intersection(.rare), arriving.intersection(.rare), stampAfter)
      }
    }

    let textBefore = change.concerns(.text) ? values.text.utf8Count : 0
    if !change.erased.isEmpty { values.clear(change.erased.subtracting(changedRegisters)) }
    for property in changedRegisters {
      values.take(property, from: incoming)
      stamps[property] = stampOf(property)
    }
    if change.changed.contains(.deleted), let erasure {
      values.delete()
      stamps[.deleted] = erasure
    }
    if change.concerns(.text) { change.textGrowth = values.text.utf8Count - textBefore }
    return change
  }

  /// By how much registers that leave and registers that arrive change the digest.
  @inline(__always)
  private func difference(
    _ leaving: PropertyMask,
    _ arriving: PropertyMask,
    _ stampAfter: (Property) -> Stamp
  ) -> UInt64 {
    var hash = RegisterHash(shape: shape)
    for property in leaving { hash.subtract(property, at: stamps[property]) }
    for property in arriving { hash.add(property, at: stampAfter(property)) }
    hash.finish()
    return hash.sum
  }

  /// The record's share of the digest.
  var digest: CountedDigest {
    guard isLive else { return CountedDigest() }
    let rare = registers.intersection(.rare)
    return CountedDigest(all: digest(of: registers), rare: rare.isEmpty ? 0 : digest(of: rare))
  }

  private func digest(of registers: PropertyMask) -> UInt64 {
    var hash = RegisterHash(shape: shape)
    for property in registers { hash.add(property, at: stamps[property]) }
    hash.finish()
    return hash.sum
  }

  /// Keeps only the registers in `wanted`, and the erasure if it is among them.
  mutating func keep(_ wanted: PropertyMask) { values.clear(values.assigned.subtracting(wanted)) }

  /// Forgets an erasure older than `milliseconds`.
  mutating func forgetErasure(before milliseconds: UInt64) -> Bool {
    guard let erasure, erasure.milliseconds < milliseconds else { return false }
    values.assigned.remove(.deleted)
    return true
  }
}

// MARK: - Reading it out

extension ShapeRecord {
  /// Calls `body` with the fewest operations that rebuild the record: the erasure, then one operation for each stamp.
  func forEachOperation<Failure: Error>(_ body: (borrowing Operation) throws(Failure) -> Void) throws(Failure) {
    if let erasure {
      var set = Properties()
      set.delete()
      try body(Operation(shape: shape, at: erasure, set: set))
    }
    var rest = registers
    while let first = rest.first {
      let stamp = stamps[first]
      var together = PropertyMask()
      for property in rest where stamps[property] == stamp { together.insert(property) }
      rest = rest.subtracting(together)
      var operation = Operation(shape: shape, at: stamp, set: Properties())
      operation.set.take(together, from: values)
      try body(operation)
    }
  }

  /// Builds a record from its stored columns, register by register, each of them once.
  mutating func restore(_ property: Property, at stamp: Stamp) {
    values.assigned.insert(property)
    stamps[property] = stamp
  }

  /// Changes values without touching stamps, for the decoder of the column form.
  mutating func restoreValues<Failure: Error>(
    _ body: (inout Properties) throws(Failure) -> Void
  ) throws(Failure) {
    try body(&values)
  }
}
