#if canImport(CanvasCRDT)
  import CanvasCRDT
#endif

// Edits as a page makes them, on top of those that a replica takes.

extension Session {
  /// Writes to shapes. Those that come about by it and are not told their place in the drawing order come on top.
  func edit(_ edits: [ShapeEdit], at now: Moment) -> [ReplicaEffect] {
    let canvas = replica.canvas
    func isNew(_ edit: ShapeEdit) -> Bool {
      edit.set.assigned.contains(.kind) && !edit.set.assigned.contains(.z)
        && !canvas.registers(of: edit.shape).contains(.kind)
    }
    let newCount = edits.count { isNew($0) }
    guard newCount > 0 else { return replica.edit(edits, at: now) }
    let insertion = order.inserting(newCount, at: order.count, using: &chance)
    var placed = Session.edits(moving: insertion.moved)
    var keys = insertion.keys.makeIterator()
    for edit in edits {
      var edit = edit
      if isNew(edit), let key = keys.next() { edit.set.z = key }
      placed.append(edit)
    }
    return replica.edit(placed, at: now)
  }

  /// A name that no shape has or had here.
  func newIdentifier() -> Identifier {
    let canvas = replica.canvas
    while true {
      let shape = Identifier.random(using: &chance)
      if canvas.registers(of: shape).isEmpty, canvas.stamp(of: .deleted, in: shape) == nil { return shape }
    }
  }

  /// Adds a shape from the factory.
  func add(
    at now: Moment,
    _ make: (inout SplitMix) -> (Identifier, Properties)
  ) -> (shape: Identifier, effects: [ReplicaEffect]) {
    let (_, set) = make(&chance)
    let shape = newIdentifier()
    return (shape, edit([ShapeEdit(shape: shape, set: set)], at: now))
  }

  // MARK: - The drawing order

  enum Reordering: UInt32 {
    case toFront = 0
    case toBack
    case forward
    case backward
    /// Before so many of the others.
    case toIndex
  }

  func reorder(
    _ shapes: [Identifier],
    _ reordering: Reordering,
    index: Int,
    at now: Moment
  ) -> [ReplicaEffect] {
    let places =
      switch reordering {
      case .toFront: order.bringingToFront(shapes, using: &chance)
      case .toBack: order.sendingToBack(shapes, using: &chance)
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

  // MARK: - Documents

  /// Puts a layout or a drawing into this one, moved by so much.
  func add(
    _ shapes: [ImportedShape],
    _ identifiers: Import.Identifiers,
    movedBy distance: Point,
    at now: Moment
  ) -> (shapes: [Identifier], effects: [ReplicaEffect]) {
    var moved = shapes
    for index in moved.indices where distance.x != 0 || distance.y != 0 {
      let position = moved[index].properties.position
      moved[index].properties.position = Point(
        x: Session.coordinate(position.x + distance.x),
        y: Session.coordinate(position.y + distance.y)
      )
    }
    let edits = Import.edits(for: moved, identifiers: identifiers, over: order, using: &chance)
    // Neighbours that make room come first.
    let added = edits.suffix(shapes.count).map { $0.shape }
    return (added, replica.edit(edits.map { ShapeEdit(shape: $0.shape, set: $0.set) }, at: now))
  }

  private static func coordinate(_ value: Double) -> Double {
    // In this order what isn't a number becomes the lower bound.
    max(-PropertyRules.coordinateMax, min(value, PropertyRules.coordinateMax))
  }
}
