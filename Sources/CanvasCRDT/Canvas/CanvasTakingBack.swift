// Reverting everything that one actor wrote: the new values to write so that a canvas looks as if the actor's
// operations had never been applied.

extension Canvas {
  /// This canvas without the shapes that an actor made. The values that the actor wrote to other actors' shapes stay,
  /// because a canvas doesn't know which values were there before.
  public func withoutShapes(of actor: Identifier, seed: UInt64) -> Canvas {
    var rest = Canvas(seed: seed)
    var shape: Identifier?
    var operations: [Operation] = []
    func settle(_ rest: inout Canvas) {
      let isItsOwn = Canvas.isMade(by: actor, operations)
      for operation in operations where !isItsOwn || operation.at.actor != actor { rest.apply(operation) }
      operations = []
    }
    forEachOperation { operation in
      if operation.shape != shape {
        settle(&rest)
        shape = operation.shape
      }
      operations.append(copy operation)
    }
    settle(&rest)
    return rest
  }

  /// Whether an actor made a shape: the actor wrote the shape's kind, and no other actor's operation on the shape is
  /// older.
  private static func isMade(by actor: Identifier, _ operations: [Operation]) -> Bool {
    guard let kind = operations.first(where: { $0.set.assigned.contains(.kind) })?.at, kind.actor == actor else {
      return false
    }
    return !operations.contains { $0.at < kind && $0.at.actor != actor }
  }

  /// New end points for the lines that stay when `operations` delete the shapes that they are tied to (S14): where the
  /// lines are drawn once all else is written, and before the shapes go. The lines stay tied, because the shapes can
  /// come back.
  public func ends(ofLinesThrough operations: [Operation]) -> [ShapeEdit] {
    var leaving = IdentifierSet()
    for operation in operations where operation.set.deleted { leaving.insert(operation.shape) }
    guard !leaving.isEmpty else { return [] }
    var after = self
    for operation in operations where !operation.set.deleted { after.apply(operation) }
    var ends: [ShapeEdit] = []
    for line in after.shapes(withAny: [.from, .to]) where !leaving.contains(line.id) {
      guard line.isTied(toAnyOf: leaving) else { continue }
      if let set = after.ends(of: line) { ends.append(ShapeEdit(shape: line.id, set: set)) }
    }
    return ends
  }

  /// The values with which a tied line ends, without its ties, where it is drawn now. `nil` if its own values do that
  /// already. A line that is drawn larger than a shape may be, or outside of the plane, keeps its own points, because
  /// these values aren't allowed.
  public func ends(of line: Shape) -> Properties? {
    let set = drawn(line).changes(since: line)
    return set.assigned.isEmpty || (try? set.check()) == nil ? nil : set
  }

  /// The values that replace everything that an actor wrote to a shape.
  /// - Parameter other: the canvas without the actor's operations.
  /// - Returns: `nil` if there is nothing to write.
  public func takingBack(_ actor: Identifier, from shape: Identifier, asOn other: Canvas) -> Properties? {
    let registers = registers(of: shape)
    let wanted = other.registers(of: shape)
    let past = other.values(of: shape)
    var set = Properties()
    switch (registers.contains(.kind), wanted.contains(.kind)) {
    case (false, false):
      // A deleted shape's registers can still hold the actor's values. Registers can only be erased all together. So
      // they are erased only if the actor wrote all of them.
      let isAllItsOwn = registers.allSatisfy { self.stamp(of: $0, in: shape)?.actor == actor }
      guard !registers.isEmpty, wanted.isEmpty, isAllItsOwn else { return nil }
      set.delete()
    case (true, false): set.delete()
    case (_, true):
      let present = values(of: shape)
      for property in registers.union(wanted) {
        let stamp = stamp(of: property, in: shape)
        // If somebody else has written a newer value, the newer value stays.
        guard stamp == nil || stamp?.actor == actor else { continue }
        var target = Properties()
        if wanted.contains(property) {
          target.take(property, from: past)
        } else {
          target.assignDefault(property, kind: past.kind, of: shape)
        }
        if stamp == nil || !target.agrees(on: property, with: present) { set.take(property, from: target) }
      }
      if set.assigned.isEmpty { return nil }
    }
    return set
  }
}

extension Shape {
  /// Whether an end of a line is tied to one of these shapes.
  func isTied(toAnyOf shapes: IdentifierSet) -> Bool {
    [properties.from, properties.to].contains { $0.map { shapes.contains($0.shape) } ?? false }
  }
}
