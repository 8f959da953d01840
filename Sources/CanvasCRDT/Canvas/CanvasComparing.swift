extension Canvas {
  /// The values of a shape's registers, even if the shape is deleted. `assigned` has every property with a register,
  /// and `deleted` if the shape has an erasure.
  func values(of shape: Identifier) -> Properties {
    if let slot = slot(of: shape) { return record(at: slot).values }
    var values = Properties()
    if stamp(of: .deleted, in: shape) != nil { values.delete() }
    return values
  }

  /// The part of the canvas's digest that comes from one shape.
  func digest(of shape: Identifier) -> UInt64 {
    guard let slot = slot(of: shape) else { return 0 }
    return record(at: slot).digest()
  }

  /// Makes this canvas's record of `shape` equal to the record in `other`.
  mutating func replace(_ shape: Identifier, from other: Canvas) {
    forget(shape)
    if let slot = other.slot(of: shape) {
      merge(other.record(at: slot), place: 0)
    } else if let erasure = other.stamp(of: .deleted, in: shape) {
      var set = Properties()
      set.delete()
      apply(Operation(shape: shape, at: erasure, set: set))
    }
  }

  /// How the shape has changed since `earlier`.
  func change(of shape: Identifier, since earlier: Canvas) -> Change {
    var change = Change(shape: shape)
    let registers = registers(of: shape)
    let before = earlier.registers(of: shape)
    change.erased = before.subtracting(registers)
    for property in registers.inserting(.deleted) {
      guard let stamp = stamp(of: property, in: shape) else { continue }
      if earlier.stamp(of: property, in: shape) != stamp { change.changed.insert(property) }
    }
    switch (before.contains(.kind), registers.contains(.kind)) {
    case (true, true): change.lifecycle = .present
    case (true, false): change.lifecycle = .vanished
    case (false, true): change.lifecycle = .appeared
    case (false, false): change.lifecycle = .absent
    }
    return change
  }
}
