// Edits. They are shown at once, and sent when there is a connection. Each edit is one undo step, unless edits are
// grouped. The exports answer with effects.

/// Edits shapes. The input has `count` bytes of rows of values: see `ValueRowReader`. A new shape without a `z` is put
/// on top.
@_cdecl("edit")
func edit(_ session: UInt32, _ count: UInt32, _ wall: Double, _ monotonic: Double) -> Answer {
  do throws(ValueRefusal) {
    let edits = try readEdits(count) { named throws(ValueRefusal) in
      guard let shape = named else { throw ValueRefusal(words: "an operation must name its shape") }
      return shape
    }
    return perform(session, wall, monotonic) { $0.edit(edits, at: $1) }
  } catch {
    return fail(error.words)
  }
}

/// Reads the edits from the input's rows of values. If a shape has no identifier, `name` is called to make one.
private func readEdits(
  _ count: UInt32,
  _ name: (Identifier?) throws(ValueRefusal) -> Identifier
) throws(ValueRefusal) -> [ShapeEdit] {
  var edits: [ShapeEdit] = []
  var rows = ValueRowReader(input.bytes(count))
  while let (shape, set) = try rows.next() { edits.append(ShapeEdit(shape: try name(shape), set: set)) }
  return edits
}

/// Moves, resizes and rotates shapes, as a gesture does in every frame. The input has rows of seven doubles: an
/// identifier, the position, the size, the rotation, and a sum of `PlaceFlag` that says which of these values to write.
/// Deleted shapes are skipped, because the gesture may not know yet that a shape was deleted.
@_cdecl("place")
func place(_ session: UInt32, _ rows: UInt32, _ wall: Double, _ monotonic: Double) -> Answer {
  var edits: [ShapeEdit] = []
  edits.reserveCapacity(Int(rows))
  for row in 0..<Int(rows) {
    guard let shape = Identifier(number: input.number(row * 7)) else { continue }
    let meant = Int(exactly: input.number(row * 7 + 6)) ?? 0
    var set = Properties()
    if meant & PlaceFlag.position.rawValue != 0 {
      set.position = Point(x: input.number(row * 7 + 1), y: input.number(row * 7 + 2))
    }
    if meant & PlaceFlag.size.rawValue != 0 {
      set.size = Size(width: input.number(row * 7 + 3), height: input.number(row * 7 + 4))
    }
    if meant & PlaceFlag.rotation.rawValue != 0 { set.rotation = input.number(row * 7 + 5) }
    edits.append(ShapeEdit(shape: shape, set: set))
  }
  return perform(session, wall, monotonic) { session, now in
    edits.removeAll { !session.replica.canvas.contains($0.shape) }
    return session.replica.edit(edits, at: now)
  }
}

/// Deletes the shapes whose `count` identifiers are in the input.
@_cdecl("deleteShapes")
func deleteShapes(_ session: UInt32, _ count: UInt32, _ wall: Double, _ monotonic: Double) -> Answer {
  let shapes = input.identifiers(count)
  return perform(session, wall, monotonic) { $0.replica.delete(shapes, at: $1) }
}

@_cdecl("clear")
func clear(_ session: UInt32, _ wall: Double, _ monotonic: Double) -> Answer {
  perform(session, wall, monotonic) { $0.replica.clear(at: $1) }
}

@_cdecl("beginGroup")
func beginGroup(_ session: UInt32) {
  find(session).replica.beginGroup()
}

@_cdecl("endGroup")
func endGroup(_ session: UInt32) {
  find(session).replica.endGroup()
}

/// Abandons the open step: see `Replica.abandonStep`.
@_cdecl("abandonStep")
func abandonStep(_ session: UInt32, _ wall: Double, _ monotonic: Double) -> Answer {
  perform(session, wall, monotonic) { $0.replica.abandonStep(at: $1) }
}

@_cdecl("undo")
func undo(_ session: UInt32, _ onlyNewest: Bool, _ wall: Double, _ monotonic: Double) -> Answer {
  perform(session, wall, monotonic) { $0.replica.undo(onlyNewest: onlyNewest, at: $1) }
}

@_cdecl("redo")
func redo(_ session: UInt32, _ wall: Double, _ monotonic: Double) -> Answer {
  perform(session, wall, monotonic) { $0.replica.redo(at: $1) }
}

/// Moves some shapes within the drawing order: see `Reordering`. Their `count` identifiers are in the input.
@_cdecl("reorder")
func reorder(
  _ session: UInt32,
  _ count: UInt32,
  _ how: UInt32,
  _ index: Int32,
  _ wall: Double,
  _ monotonic: Double
) -> Answer {
  guard let reordering = Reordering(rawValue: how) else { return fail("there is no such order") }
  let shapes = input.identifiers(count)
  return perform(session, wall, monotonic) { $0.reorder(shapes, reordering, index: Int(index), at: $1) }
}

/// An identifier for a shape that `edit` will add.
@_cdecl("newIdentifier")
func newIdentifier(_ session: UInt32) -> Double { find(session).newIdentifier().number }

// MARK: - Adding shapes

/// Adds shapes from rows of values that exchange.wasm has read from a document. With `keepsIdentifiers`, only shapes
/// without an identifier get a new one; otherwise all do. A shape without a `z` is put on top.
@_cdecl("addShapes")
func addShapes(_ session: UInt32, _ count: UInt32, _ keepsIdentifiers: Bool, _ wall: Double, _ monotonic: Double)
  -> Answer
{
  do throws(ValueRefusal) {
    let makeUp = { find(session).newIdentifier() }
    var copies = Copies()
    var edits = try readEdits(count) { original in
      if keepsIdentifiers, let original { return original }
      let copy = makeUp()
      copies.note(original, as: copy)
      return copy
    }
    if !keepsIdentifiers {
      for index in edits.indices { copies.relate(&edits[index].set, makeUp) }
    }
    return add(edits, to: session, wall, monotonic)
  } catch {
    return fail(error.words)
  }
}

/// Adds a random shape: see `RandomShape`.
@_cdecl("addRandomShape")
func addRandomShape(
  _ session: UInt32,
  _ how: UInt32,
  _ x: Double,
  _ y: Double,
  _ width: Double,
  _ height: Double,
  _ wall: Double,
  _ monotonic: Double
) -> Answer {
  guard let how = RandomShape(rawValue: how) else { return fail("there is no such shape") }
  let factory = ShapeFactory(area: Rect(origin: Point(x: x, y: y), size: Size(width: width, height: height)))
  let (_, set) =
    switch how {
    case .square: factory.square(using: &chance)
    case .any: factory.make(using: &chance)
    case .circle: ShapeFactory.circle(centredAt: Point(x: x, y: y), using: &chance)
    }
  let edit = ShapeEdit(shape: find(session).newIdentifier(), set: set)
  return add([edit], to: session, wall, monotonic)
}

/// Adds shapes. The answer has the effects, and the identifiers of the added shapes.
private func add(_ edits: [ShapeEdit], to session: UInt32, _ wall: Double, _ monotonic: Double) -> Answer {
  _ = perform(session, wall, monotonic) { $0.putOnTop(edits, at: $1) { !$0.set.assigned.contains(.z) } }
  let canvas = find(session).replica.canvas
  output.append(added: edits.map { $0.shape }.filter { canvas.contains($0) })
  return Answer(output.count)
}

/// A random colour as 0xRRGGBB, with a saturation of at least 0.5 and a brightness of at least 0.7.
@_cdecl("brightColor")
func brightColor() -> UInt32 { Color.bright(using: &chance).packed }

/// A number that grows whenever the answer of `state` changes.
@_cdecl("revision")
func revision(_ session: UInt32) -> UInt32 { find(session).revision }

/// The whole shown drawing, from which exchange.wasm makes documents: see `BinaryEncoding.encode(state:)`.
@_cdecl("state")
func state(_ session: UInt32) -> Answer {
  answer(session) { session, output in output.append(BinaryEncoding.encode(state: session.replica.canvas)) }
}
