#if canImport(CanvasCRDT)
  import CanvasCRDT
#endif

// Edits: shown at once, sent when that is possible, one step to undo each unless grouped. They answer effects.

/// Rows of values, `count` bytes of them in the input: see `ValueRowReader`. A new shape that is not told its `z` comes on
/// top.
@_expose(wasm, "edit") @_cdecl("canvas_edit")
func edit(_ session: UInt32, _ count: UInt32, _ wall: Double, _ monotonic: Double) -> Answer {
  var edits: [ShapeEdit] = []
  var rows = ValueRowReader(input.bytes(count))
  do throws(ValueRefusal) {
    while let (shape, set) = try rows.next() {
      guard let shape else { return fail("an operation must name its shape") }
      edits.append(ShapeEdit(shape: shape, set: set))
    }
  } catch {
    return fail(Text(error.words))
  }
  return perform(session) { $0.edit(edits, at: Moment(wall, monotonic)) }
}

/// Where shapes are, as a gesture tells at every frame: rows of seven doubles in the input, each an identifier, the
/// position, the size, the rotation, and which of them are meant: 1, 2 and 4. A shape that is gone, as the gesture may not know
/// yet, stays as it is.
@_expose(wasm, "place") @_cdecl("canvas_place")
func place(_ session: UInt32, _ rows: UInt32, _ wall: Double, _ monotonic: Double) -> Answer {
  var edits: [ShapeEdit] = []
  edits.reserveCapacity(Int(rows))
  for row in 0..<Int(rows) {
    guard let shape = Identifier(number: input.number(row * 7)) else { continue }
    let meant = Int(exactly: input.number(row * 7 + 6)) ?? 0
    var set = Properties()
    if meant & 1 != 0 { set.position = Point(x: input.number(row * 7 + 1), y: input.number(row * 7 + 2)) }
    if meant & 2 != 0 { set.size = Size(width: input.number(row * 7 + 3), height: input.number(row * 7 + 4)) }
    if meant & 4 != 0 { set.rotation = input.number(row * 7 + 5) }
    edits.append(ShapeEdit(shape: shape, set: set))
  }
  return perform(session) { session in
    edits.removeAll { !session.replica.canvas.registers(of: $0.shape).contains(.kind) }
    return session.replica.edit(edits, at: Moment(wall, monotonic))
  }
}

/// So many identifiers stand in the input.
@_expose(wasm, "deleteShapes") @_cdecl("canvas_delete_shapes")
func deleteShapes(_ session: UInt32, _ count: UInt32, _ wall: Double, _ monotonic: Double) -> Answer {
  let shapes = input.identifiers(count)
  return perform(session) { $0.replica.delete(shapes, at: Moment(wall, monotonic)) }
}

@_expose(wasm, "clear") @_cdecl("canvas_clear")
func clear(_ session: UInt32, _ wall: Double, _ monotonic: Double) -> Answer {
  perform(session) { $0.replica.clear(at: Moment(wall, monotonic)) }
}

@_expose(wasm, "beginGroup") @_cdecl("canvas_begin_group")
func beginGroup(_ session: UInt32) {
  sessions[session].replica.beginGroup()
}

@_expose(wasm, "endGroup") @_cdecl("canvas_end_group")
func endGroup(_ session: UInt32) {
  sessions[session].replica.endGroup()
}

@_expose(wasm, "undo") @_cdecl("canvas_undo")
func undo(_ session: UInt32, _ wall: Double, _ monotonic: Double) -> Answer {
  perform(session) { $0.replica.undo(at: Moment(wall, monotonic)) }
}

@_expose(wasm, "redo") @_cdecl("canvas_redo")
func redo(_ session: UInt32, _ wall: Double, _ monotonic: Double) -> Answer {
  perform(session) { $0.replica.redo(at: Moment(wall, monotonic)) }
}

/// Moves so many shapes, which stand in the input, within the drawing order: see `Session.Reordering`.
@_expose(wasm, "reorder") @_cdecl("canvas_reorder")
func reorder(
  _ session: UInt32,
  _ count: UInt32,
  _ how: UInt32,
  _ index: Int32,
  _ wall: Double,
  _ monotonic: Double
) -> Answer {
  guard let reordering = Session.Reordering(rawValue: how) else { return fail("there is no such order") }
  let shapes = input.identifiers(count)
  return perform(session) { $0.reorder(shapes, reordering, index: Int(index), at: Moment(wall, monotonic)) }
}

// MARK: - Shapes that chance makes

/// For a shape that is to be added by `edit`.
@_expose(wasm, "newIdentifier") @_cdecl("canvas_new_identifier")
func newIdentifier(_ session: UInt32) -> Double { sessions[session].newIdentifier().number }

/// Half saturated at least and no darker than seven tenths: 0xRRGGBB.
@_expose(wasm, "brightColor") @_cdecl("canvas_bright_color")
func brightColor(_ session: UInt32) -> UInt32 { Color.bright(using: &sessions[session].chance).packed }

/// A square of a random bright colour, at a random place of the area.
@_expose(wasm, "addSquare") @_cdecl("canvas_add_square")
func addSquare(
  _ session: UInt32,
  _ x: Double,
  _ y: Double,
  _ width: Double,
  _ height: Double,
  _ wall: Double,
  _ monotonic: Double
) -> Answer {
  let factory = ShapeFactory(area: Rect(origin: Point(x: x, y: y), size: Size(width: width, height: height)))
  return add(session, Moment(wall, monotonic)) { factory.square(using: &$0) }
}

/// Any shape, at a random place of the area.
@_expose(wasm, "addRandomShape") @_cdecl("canvas_add_random_shape")
func addRandomShape(
  _ session: UInt32,
  _ x: Double,
  _ y: Double,
  _ width: Double,
  _ height: Double,
  _ wall: Double,
  _ monotonic: Double
) -> Answer {
  let factory = ShapeFactory(area: Rect(origin: Point(x: x, y: y), size: Size(width: width, height: height)))
  return add(session, Moment(wall, monotonic)) { factory.make(using: &$0) }
}

/// A circle of a random bright colour, around a point.
@_expose(wasm, "addCircle") @_cdecl("canvas_add_circle")
func addCircle(_ session: UInt32, _ x: Double, _ y: Double, _ wall: Double, _ monotonic: Double) -> Answer {
  add(session, Moment(wall, monotonic)) { ShapeFactory.circle(centredAt: Point(x: x, y: y), using: &$0) }
}

private func add(
  _ session: UInt32,
  _ now: Moment,
  _ make: (inout SplitMix) -> (Identifier, Properties)
) -> Answer {
  var added: [Identifier] = []
  _ = perform(session) { session in
    let (shape, effects) = session.add(at: now, make)
    if session.replica.canvas[shape] != nil { added.append(shape) }
    return effects
  }
  output.append(added: added)
  return Answer(output.count)
}

// MARK: - Documents

/// Shapes of a document as the other module has read it, in rows of values, moved by so much; under the document's own
/// identifiers or new ones.
@_expose(wasm, "addImported") @_cdecl("canvas_add_imported")
func addImported(
  _ session: UInt32,
  _ count: UInt32,
  _ keepsIdentifiers: Bool,
  _ x: Double,
  _ y: Double,
  _ wall: Double,
  _ monotonic: Double
) -> Answer {
  var shapes: [ImportedShape] = []
  var rows = ValueRowReader(input.bytes(count))
  do throws(ValueRefusal) {
    while let (shape, set) = try rows.next() { shapes.append(ImportedShape(id: shape, properties: set)) }
  } catch {
    return fail(Text(error.words))
  }
  var added: [Identifier] = []
  _ = perform(session) { session in
    let result = session.add(
      shapes,
      keepsIdentifiers ? .same : .new,
      movedBy: Point(x: x, y: y),
      at: Moment(wall, monotonic)
    )
    let canvas = session.replica.canvas
    added = result.shapes.filter { canvas[$0] != nil }
    return result.effects
  }
  output.append(added: added)
  return Answer(output.count)
}

/// All that is shown, for the other module to make documents of: see `BinaryEncoding.encode(state:)`.
@_expose(wasm, "state") @_cdecl("canvas_state")
func state(_ session: UInt32) -> Answer {
  answer(session) { session, output in output.append(BinaryEncoding.encode(state: session.replica.canvas)) }
}
