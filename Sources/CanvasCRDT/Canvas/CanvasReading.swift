extension Canvas {
  /// Whether any of these registers was written under this stamp.
  public func holdsAny(of properties: PropertyMask, in shape: Identifier, at stamp: Stamp) -> Bool {
    for property in properties where self.stamp(of: property, in: shape) == stamp { return true }
    return false
  }

  /// Whether writing these values under this stamp would change nothing, because the canvas has them, or values that win
  /// over them. That is so for everything that was written before, unless the canvas has forgotten a deletion since.
  public func hasAll(of set: borrowing Properties, in shape: Identifier, at stamp: Stamp) -> Bool {
    for property in set.assigned {
      guard let winner = winner(of: property, in: shape), winner >= stamp else { return false }
      // A value under the same stamp can still win (M3).
      if property != .deleted, self.stamp(of: property, in: shape) == stamp,
        set.outranks(values(of: shape), on: property)
      {
        return false
      }
    }
    return true
  }

  /// Whether the canvas has all values of an operation, or newer ones. That is so for every operation that was accepted
  /// before.
  public func hasAll(of operation: ProposedOperation) -> Bool {
    operation.at.map { hasAll(of: operation.set, in: operation.shape, at: $0) } ?? false
  }

  /// Whether operations delete what the canvas has, each shape once, and write nothing else that is new. The new ends of
  /// lines that are tied to these shapes belong to the deletion (S14), once for each line.
  public func onlyDeletes(_ operations: [ProposedOperation]) -> Bool {
    var leaving = IdentifierSet()
    var others = IdentifierSet()
    for operation in operations where !hasAll(of: operation) {
      if deletes(operation) {
        guard leaving.insert(operation.shape).isNew else { return false }
      } else {
        guard operation.set.assigned.subtracting([.position, .size, .path, .rotation]).isEmpty else { return false }
        guard others.insert(operation.shape).isNew else { return false }
      }
    }
    return others.members.allSatisfy { self[$0]?.isTied(toAnyOf: leaving) == true }
  }

  /// Whether an operation deletes something that the canvas has, and does nothing else. So nobody can have the same
  /// shape deleted again and again. It may also say where the shape goes, as into the black hole.
  private func deletes(_ operation: ProposedOperation) -> Bool {
    guard operation.set.deleted, operation.set.assigned.subtracting([.deleted, .position, .size]).isEmpty else {
      return false
    }
    for property in registers(of: operation.shape) {
      guard let stamp = operation.at, let newest = self.stamp(of: property, in: operation.shape) else { return true }
      if newest < stamp { return true }
    }
    return false
  }

  /// The shape with this identifier, if it is live.
  public subscript(shape: Identifier) -> Shape? { live(shape) }

  private func live(_ shape: Identifier) -> Shape? {
    guard let slot = slot(of: shape) else { return nil }
    return Shape(record(at: slot))
  }

  public func contains(_ shape: Identifier) -> Bool { registers(of: shape).contains(.kind) }

  /// Which properties of a shape have registers, even if the shape is deleted.
  public func registers(of shape: Identifier) -> PropertyMask {
    guard let slot = slot(of: shape) else { return PropertyMask() }
    return record(at: slot).registers
  }

  /// A shape's text. `nil` if the shape doesn't exist.
  @inline(never)
  public func text(of shape: Identifier) -> Text? { self[shape]?.properties.text }

  /// The bytes of a shape's texts and paths, counting only the given properties. Deleted shapes count too.
  public func longBytes(of properties: PropertyMask = .all, in shape: Identifier) -> Int {
    guard let slot = slot(of: shape) else { return 0 }
    return record(at: slot).values.longBytes(of: properties)
  }

  /// The stamp that a write to `property` of `shape` has to exceed: the greater of the register's stamp and the stamp
  /// of the shape's erasure.
  public func winner(of property: Property, in shape: Identifier) -> Stamp? {
    let register = stamp(of: property, in: shape)
    let erasure = stamp(of: .deleted, in: shape)
    guard let register else { return erasure }
    guard let erasure else { return register }
    return max(register, erasure)
  }

  /// The live shapes that have a value for at least one of these properties, ordered by identifier.
  public func shapes(withAny properties: PropertyMask) -> [Shape] {
    var found: [Shape] = []
    for page in pages.indices {
      for row in pages[page].indices where !pages[page][row].registers.intersection(properties).isEmpty {
        if let shape = Shape(pages[page][row]) { found.append(shape) }
      }
    }
    found.sort { $0.id < $1.id }
    return found
  }

  /// The live shapes, ordered by identifier.
  public var shapes: [Shape] {
    var shapes: [Shape] = []
    shapes.reserveCapacity(liveCount)
    for slot in orderedSlots() {
      if let shape = Shape(record(at: slot)) { shapes.append(shape) }
    }
    return shapes
  }

  /// Calls `body` with operations that rebuild the registers and erasures of all shapes: as few operations as possible,
  /// ordered by shape, then by stamp. With `place`, only the shapes that changed after that position in the log are
  /// included.
  public func forEachOperation<Failure: Error>(
    since place: UInt64? = nil,
    _ body: (borrowing Operation) throws(Failure) -> Void
  ) throws(Failure) {
    for erasure in orderedErasures(since: place) {
      var set = Properties()
      set.delete()
      try body(Operation(shape: erasure.shape, at: erasure.stamp, set: set))
    }
    for slot in orderedSlots(since: place) { try record(at: slot).forEachOperation(body) }
  }

  /// The newest values of the given registers and erasures, as the operations that wrote them, ordered by shape.
  public func operations(of registers: [Identifier: PropertyMask]) -> [Operation] {
    var operations: [Operation] = []
    for shape in registers.keys.sorted() {
      guard let wanted = registers[shape] else { continue }
      if let slot = slot(of: shape) {
        var record = record(at: slot)
        record.keep(wanted)
        record.forEachOperation { operations.append(copy $0) }
      } else if wanted.contains(.deleted), let erasure = stamp(of: .deleted, in: shape) {
        var set = Properties()
        set.delete()
        operations.append(Operation(shape: shape, at: erasure, set: set))
      }
    }
    return operations
  }

  public func operations(since place: UInt64? = nil) -> [Operation] {
    var operations: [Operation] = []
    forEachOperation(since: place) { operations.append(copy $0) }
    return operations
  }
}

extension Canvas: Equatable {
  /// Two canvases are equal if their registers and erasures are equal, even if different operations led to them.
  public static func == (left: Canvas, right: Canvas) -> Bool {
    guard left.digest == right.digest, left.shapeCount == right.shapeCount, left.erasureCount == right.erasureCount
    else { return false }
    return left.operations() == right.operations()
  }
}

extension Canvas {
  /// A shape as it is drawn on this canvas: a tied end of a line follows the shape that it is tied to. `nil` if there
  /// is no such shape.
  public func drawn(_ shape: Identifier) -> Shape? { self[shape].map { drawn($0) } }

  public func drawn(_ shape: Shape) -> Shape { shape.drawn { self[$0] } }
}
