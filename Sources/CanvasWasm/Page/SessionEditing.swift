// A page's edits, translated into edits of the replica.

extension Session {
  /// Writes to shapes. New shapes without a `z` are put on top.
  func edit(_ edits: [ShapeEdit], at now: Moment) -> [ReplicaEffect] {
    let canvas = replica.canvas
    return putOnTop(edits, at: now) { edit in
      edit.set.assigned.contains(.kind) && !edit.set.assigned.contains(.z)
        && !canvas.contains(edit.shape)
    }
  }

  /// Writes to shapes, and puts the shapes for which `isOnTop` is true on top.
  func putOnTop(_ edits: [ShapeEdit], at now: Moment, where isOnTop: (ShapeEdit) -> Bool) -> [ReplicaEffect] {
    var count = 0
    for edit in edits where isOnTop(edit) { count += 1 }
    guard count > 0 else { return replica.edit(edits, at: now) }
    let insertion = order.inserting(count, at: order.count, using: &chance)
    var placed = Session.edits(moving: insertion.moved)
    var keys = insertion.keys.makeIterator()
    for edit in edits {
      var edit = edit
      if isOnTop(edit), let key = keys.next() { edit.set.z = key }
      placed.append(edit)
    }
    return replica.edit(placed, at: now)
  }

  /// An identifier that no shape of this canvas has or had.
  func newIdentifier() -> Identifier {
    let canvas = replica.canvas
    while true {
      let shape = Identifier.random(using: &chance)
      if canvas.registers(of: shape).isEmpty, canvas.stamp(of: .deleted, in: shape) == nil { return shape }
    }
  }

  // MARK: - The drawing order

  func reorder(
    _ shapes: [Identifier],
    _ reordering: Reordering,
    index: Int,
    at now: Moment
  ) -> [ReplicaEffect] {
    let places =
      switch reordering {
      case .front: order.bringingToFront(shapes, using: &chance)
      case .back: order.sendingToBack(shapes, using: &chance)
      case .forward: order.bringingForward(shapes, using: &chance)
      case .backward: order.sendingBackward(shapes, using: &chance)
      case .toIndex: order.moving(shapes, to: index, using: &chance)
      }
    return replica.edit(Session.edits(moving: places), at: now)
  }

  private static func edits(moving places: [DrawingOrder.Place]) -> [ShapeEdit] {
    places.map { place in
      var set = Properties()
      set.z = place.key
      return ShapeEdit(shape: place.shape, set: set)
    }
  }
}
