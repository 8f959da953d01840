/// One shape's registers, or only its erasure.
///
/// A record has a fixed size: the value and the stamp of every property lie side by side. So merging a register is one
/// comparison and one store, and a shape takes the same memory however often it is written.
struct ShapeRecord {
  let shape: Identifier

  /// The position in the log of the newest operation that changed this record.
  var changedAt: UInt64 = 0

  /// The registers' values. `assigned` says which registers exist. If `assigned` contains `deleted`, the shape has an
  /// erasure.
  private(set) var values = Properties()

  // The stamps of the common properties, in the order of the properties' bits. The stamp of an unassigned property has
  // no meaning. The stamps of rare properties are in a separate list, which is empty until one of them is written.
  private(set) var commonStamps = ForEachCommonProperty<Stamp>(repeating: .never)
  private(set) var rareStamps: [Stamp] = []

  init(shape: Identifier) { self.shape = shape }

  @inline(__always)
  func stamp(of property: Property) -> Stamp? {
    values.assigned.contains(property) ? assignedStamp(of: property) : nil
  }

  /// The stamp of a property, which must be assigned.
  @inline(__always)
  func assignedStamp(of property: Property) -> Stamp {
    let place = Int(property.rawValue)
    return place < commonStamps.count ? commonStamps[place] : rareStamps[place &- commonStamps.count]
  }

  @inline(__always)
  private mutating func setStamp(of property: Property, to stamp: Stamp) {
    let place = Int(property.rawValue)
    guard place >= commonStamps.count else { return commonStamps[place] = stamp }
    if rareStamps.isEmpty {
      rareStamps = [Stamp](repeating: .never, count: Property.count - commonStamps.count)
    }
    rareStamps[place &- commonStamps.count] = stamp
  }

  var erasure: Stamp? { stamp(of: .deleted) }
  var registers: PropertyMask { values.assigned.intersection(.registers) }
  var isLive: Bool { values.assigned.contains(.kind) }

  /// Whether the record has no registers. It may have an erasure.
  var isErasureOnly: Bool { registers.isEmpty }
}

// MARK: - Merging

extension ShapeRecord {
  /// Writes `incoming` under one stamp. If `digest` is not `nil`, it is updated for the live registers that change.
  @inline(__always)
  mutating func absorb(_ incoming: borrowing Properties, at stamp: Stamp, digest: inout UInt64?) -> Change {
    absorb(incoming, erasure: incoming.deleted ? stamp : nil, stampOf: { _ in stamp }, digest: &digest)
  }

  /// Merges another replica's record of the same shape.
  mutating func absorb(_ other: borrowing ShapeRecord, digest: inout UInt64?) -> Change {
    let arriving = copy other
    return absorb(
      other.values,
      erasure: other.erasure,
      stampOf: { arriving.assignedStamp(of: $0) },
      digest: &digest
    )
  }

  /// The whole merge: the erasure's stamp only grows, and each register keeps the value with the greater stamp. This is
  /// inlined to avoid a call for each look-up of a stamp.
  @inline(__always)
  private mutating func absorb(
    _ incoming: borrowing Properties,
    erasure: Stamp?,
    stampOf: (Property) -> Stamp,
    digest: inout UInt64?
  ) -> Change {
    // Indexes the list of stamps directly, because calling `assignedStamp(of:)` would copy the whole list.
    @inline(__always)
    func standingStamp(of property: Property) -> Stamp {
      let place = Int(property.rawValue)
      return place < commonStamps.count ? commonStamps[place] : rareStamps[place &- commonStamps.count]
    }

    var change = Change(shape: shape)
    let wasLive = isLive
    let registersBefore = registers
    let standingErasure = values.deleted ? standingStamp(of: .deleted) : nil

    if let erasure {
      if let standing = standingErasure, standing >= erasure {
        if standing > erasure { change.superseded.insert(.deleted) }
      } else {
        change.changed.insert(.deleted)
        for property in registersBefore where standingStamp(of: property) <= erasure {
          change.erased.insert(property)
        }
      }
    }
    let erasedUpTo = change.changed.contains(.deleted) ? erasure : standingErasure

    var tied = PropertyMask()
    for property in incoming.assigned.intersection(.registers) {
      let stamp = stampOf(property)
      // A register that still exists is newer than the erasure. So the incoming value has to be compared with the
      // register only.
      if registersBefore.contains(property), !change.erased.contains(property) {
        let standing = standingStamp(of: property)
        if stamp < standing {
          change.superseded.insert(property)
          continue
        }
        if stamp == standing {
          tied.insert(property)
          continue
        }
      } else if let erasedUpTo, stamp <= erasedUpTo {
        if stamp < erasedUpTo { change.superseded.insert(property) }
        continue
      }
      change.changed.insert(property)
    }
    // If two values have the same stamp (a fault of the writer), the encoded values decide, so that replicas still
    // agree (M3). This loop is separate because `outranks` copies the values of the record. Most merges don't need
    // that.
    for property in tied where incoming.outranks(values, on: property) { change.changed.insert(property) }

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
      var hash = RegisterHash(shape: shape)
      for property in leaving { hash.subtract(property, at: standingStamp(of: property)) }
      for property in arriving {
        let arrives = changedRegisters.contains(property)
        hash.add(property, at: arrives ? stampOf(property) : standingStamp(of: property))
      }
      hash.finish()
      digest? &+= hash.sum
    }

    let isLong = !change.changed.union(change.erased).intersection(.long).isEmpty
    let longBefore = isLong ? values.longBytes(of: .long) : 0
    if !change.erased.isEmpty { values.clear(change.erased.subtracting(changedRegisters)) }
    for property in changedRegisters {
      values.take(property, from: incoming)
      setStamp(of: property, to: stampOf(property))
    }
    if change.changed.contains(.deleted), let erasure {
      values.delete()
      setStamp(of: .deleted, to: erasure)
    }
    if isLong { change.longGrowth = values.longBytes(of: .long) - longBefore }
    return change
  }

  /// The part of the canvas's digest that comes from this record's registers of these properties.
  func digest(of properties: PropertyMask = .all) -> UInt64 {
    guard isLive else { return 0 }
    var hash = RegisterHash(shape: shape)
    for property in registers.intersection(properties) { hash.add(property, at: assignedStamp(of: property)) }
    hash.finish()
    return hash.sum
  }

  /// Keeps only the registers in `wanted`, and the erasure if `wanted` contains `deleted`.
  mutating func keep(_ wanted: PropertyMask) { values.clear(values.assigned.subtracting(wanted)) }

  /// Forgets the erasure if it was made before the time `milliseconds`. Returns whether an erasure was forgotten.
  mutating func forgetErasure(before milliseconds: UInt64) -> Bool {
    guard let erasure, erasure.milliseconds < milliseconds else { return false }
    values.assigned.remove(.deleted)
    return true
  }
}

// MARK: - As operations

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
      let stamp = assignedStamp(of: first)
      var together = PropertyMask()
      for property in rest where assignedStamp(of: property) == stamp { together.insert(property) }
      rest = rest.subtracting(together)
      var operation = Operation(shape: shape, at: stamp, set: Properties())
      operation.set.take(together, from: values)
      try body(operation)
    }
  }

  /// Sets one register while a record is built from stored columns. To be called once for each register.
  mutating func restore(_ property: Property, at stamp: Stamp) {
    values.assigned.insert(property)
    setStamp(of: property, to: stamp)
  }

  /// Changes the values and leaves the stamps as they are. Used when decoding a state from columns.
  mutating func restoreValues<Failure: Error>(
    _ body: (inout Properties) throws(Failure) -> Void
  ) throws(Failure) {
    try body(&values)
  }
}
