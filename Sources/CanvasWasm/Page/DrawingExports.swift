// The shapes to draw, as rows (see `ShapeRow`), and their names.

/// The changes since the last call: a sum of `ChangesFlag`, and then the rows of the changed shapes.
@_cdecl("changes")
func changes(_ session: UInt32) -> Answer {
  let unseen = find(session).takeUnseen()
  return answer(session) { session, output in
    output.append(
      Double(
        (unseen.isReset ? ChangesFlag.reset.rawValue : 0) | (unseen.isOrderChanged ? ChangesFlag.reordered.rawValue : 0)
      )
    )
    if unseen.isReset {
      session.writeRows(of: session.order.identifiers, to: &output)
      return
    }
    for id in unseen.shapes.keys.sorted() {
      guard let change = unseen.shapes[id] else { continue }
      if let shape = session.drawn(id) {
        output.append(shape, place: session.order.index(of: id) ?? -1, change: change)
      } else {
        output.append(gone: id, change)
      }
    }
  }
}

/// The rows of all shapes, in drawing order.
@_cdecl("shapes")
func shapes(_ session: UInt32) -> Answer {
  answer(session) { session, output in session.writeRows(of: session.order.identifiers, to: &output) }
}

/// The rows of `count` shapes, whose identifiers are in the input, in drawing order. Shapes that don't exist are left
/// out.
@_cdecl("rows")
func rows(_ session: UInt32, _ count: UInt32) -> Answer {
  let shapes = input.identifiers(count)
  return answer(session) { session, output in session.writeRows(of: session.inOrder(shapes), to: &output) }
}

/// The identifiers of all shapes, from the back to the front.
@_cdecl("drawingOrder")
func drawingOrder(_ session: UInt32) -> Answer {
  answer(session) { session, output in output.append(session.order.identifiers) }
}

// MARK: - Names

/// The name that a shape shows. Empty if the shape doesn't exist.
@_cdecl("shownName")
func shownName(_ session: UInt32, _ shape: Double) -> Answer {
  answer(session) { session, output in
    if let shape = Identifier(number: shape), let name = session.names.name(of: shape) { output.append(name) }
  }
}

/// The names of all shapes in drawing order, separated by line breaks. No name contains one.
@_cdecl("shownNames")
func shownNames(_ session: UInt32) -> Answer {
  answer(session) { session, output in
    for place in session.order.places {
      if let name = session.names.name(of: place.shape) { output.append(name) }
      output.append(byte: UInt8(ascii: "\n"))
    }
  }
}

/// The input is a name. Returns the number of the shape that is shown with this name, or −1 if there is none.
@_cdecl("shapeNamed")
func shapeNamed(_ session: UInt32, _ count: UInt32) -> Double {
  guard let name = Text(utf8: input.bytes(count)) else { return -1 }
  return find(session).names.identifier(named: name)?.number ?? -1
}

/// The text in a shape. Empty if it has none.
@_cdecl("writtenText")
func writtenText(_ session: UInt32, _ shape: Double) -> Answer {
  answer(session) { session, output in
    guard let shape = Identifier(number: shape) else { return }
    if let text = session.replica.canvas.text(of: shape) { output.append(text) }
  }
}

/// The points of a shape's path: see `ValueRows`.
@_cdecl("path")
func path(_ session: UInt32, _ shape: Double) -> Answer {
  answer(session) { session, output in
    guard let shape = Identifier(number: shape) else { return }
    if let path = session.drawn(shape)?.properties.path { output.append(path) }
  }
}

/// Where the caption of a line stands: see `Shape.halfwayShare`.
@_cdecl("halfway")
func halfway(_ session: UInt32, _ line: Double) -> Answer {
  answer(session) { session, output in
    if let line = Identifier(number: line), let drawn = session.drawn(line) { output.append(drawn.halfwayShare) }
  }
}

/// The last actor to write a property of a shape, and the time of that write, as two doubles. Empty if the property was
/// never written.
@_cdecl("written")
func written(_ session: UInt32, _ shape: Double, _ property: UInt32) -> Answer {
  answer(session) { session, output in
    guard let shape = Identifier(number: shape), let raw = UInt8(exactly: property),
      let property = Property(rawValue: raw), let stamp = session.replica.canvas.stamp(of: property, in: shape)
    else { return }
    output.append(stamp.actor)
    output.append(Double(stamp.milliseconds))
  }
}

// MARK: - Rows

extension Session {
  /// Writes rows of the shapes that exist.
  func writeRows(of identifiers: [Identifier], to output: inout OutputBuffer) {
    for id in identifiers {
      guard let shape = drawn(id) else { continue }
      output.append(shape, place: order.index(of: id) ?? -1)
    }
  }

  /// The identifiers in drawing order, from the back to the front.
  func inOrder(_ identifiers: [Identifier]) -> [Identifier] {
    var placed: [DrawingOrder.Place] = []
    placed.reserveCapacity(identifiers.count)
    for id in identifiers {
      if let place = order.place(of: id) { placed.append(place) }
    }
    placed.sort()
    return placed.map { $0.shape }
  }
}
