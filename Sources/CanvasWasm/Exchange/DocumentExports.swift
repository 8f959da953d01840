// Reads documents, and makes documents from a session's drawing. Sessions are in core.wasm. A session's whole drawing
// is passed to this module, which keeps it until the next one.

/// The drawing that a session has passed to this module. `Boundary.swift` says why a global variable is safe.
private nonisolated(unsafe) var shown = ShownDrawing(Canvas(seed: 0))

private struct ShownDrawing {
  let canvas: Canvas
  let order: DrawingOrder
  let names: ShownNames
  let overlaps: OverlapIndex

  init(_ canvas: Canvas) {
    self.canvas = canvas
    order = DrawingOrder(canvas)
    names = ShownNames(canvas)
    var outlines: [(identifier: Identifier, outline: Outline)] = []
    for shape in canvas.shapes {
      if let outline = shape.drawn({ canvas[$0] }).visibleOutline { outlines.append((shape.id, outline)) }
    }
    overlaps = OverlapIndex.shown(outlines)
  }

  func drawing(of shapes: [Identifier]) -> Drawing {
    var some = DrawingOrder()
    for shape in shapes { some.update(shape, in: canvas) }
    var drawing = Drawing(canvas, order: some, names: names)
    drawing.untiesOthers = true
    return drawing
  }

  var drawing: Drawing { Drawing(canvas, order: order, names: names) }
}

/// Replaces the drawing. The input is the answer of core.wasm's `state`.
@_cdecl("take")
func take(_ count: UInt32) -> Answer {
  do throws(MessageError) {
    shown = ShownDrawing(try BinaryEncoding.decodeState(input.bytes(count), shapesMax: Int.max, seed: chance.next()))
    return 0
  } catch {
    return fail(error.words)
  }
}

/// How many names of the last document had invisible characters, which were removed.
private nonisolated(unsafe) var cleanedNameCount: UInt32 = 0

@_cdecl("cleanedNames")
func cleanedNames() -> UInt32 { cleanedNameCount }

/// Reads a layout or a drawing from the input, and answers with rows of values, moved by `x` and `y`. Each row has the
/// shape's identifier in the document. If `keepsIdentifiers` is false, the rows have no `z`, so that the shapes are put
/// on top.
@_cdecl("readDocument")
func readDocument(_ count: UInt32, _ keepsIdentifiers: Bool, _ x: Double, _ y: Double) -> Answer {
  do throws(ImportError) {
    let shapes = try Import.read(input.bytes(count))
    output.clear()
    cleanedNameCount = 0
    for shape in shapes {
      if shape.hasCleanedName { cleanedNameCount += 1 }
      var set = shape.properties
      if x != 0 || y != 0 {
        set.position = Point(x: coordinate(set.position.x + x), y: coordinate(set.position.y + y))
      }
      if !keepsIdentifiers || shape.id == nil { set.clear(.z) }
      output.append(shape.id, set)
    }
    return Answer(output.count)
  } catch {
    return fail(error.message)
  }
}

/// The whole drawing as JSON. With stamps, it also says who wrote which property. The input is the name of the room, or
/// empty.
@_cdecl("drawing")
func drawing(_ roomCount: UInt32, _ withStamps: Bool) -> Answer {
  answer(shown.drawing.document(room: room(roomCount), stamps: withStamps))
}

/// A drawing of the shapes whose identifiers are in the input, for copying.
@_cdecl("drawingOf")
func drawing(of count: UInt32) -> Answer {
  answer(shown.drawing(of: input.identifiers(count)).document())
}

/// The whole drawing as SVG.
@_cdecl("picture")
func picture(_ roomCount: UInt32, _ withOverlaps: Bool) -> Answer {
  var picture = SVGExport(shown.drawing)
  if withOverlaps { picture.overlaps = shown.overlaps.pairs }
  picture.title = room(roomCount)
  return answer(picture.document())
}

/// The text in the input as it is drawn: see `DrawnText`.
@_cdecl("drawnText")
func drawnText(_ count: UInt32) -> Answer {
  answer(DrawnText.bytes(of: input.bytes(count)))
}

/// The nearest place where a box of this size overlaps nothing, as two doubles. The answer is empty if there is no such
/// place.
@_cdecl("freePlace")
func freePlace(_ width: Double, _ height: Double, _ x: Double, _ y: Double) -> Answer {
  output.clear()
  let size = Size(width: width, height: height)
  if let place = shown.overlaps.freePlace(for: size, near: Point(x: x, y: y)) { output.append(place) }
  return Answer(output.count)
}

private func coordinate(_ value: Double) -> Double {
  // With the arguments in this order, NaN becomes the lower bound.
  max(PropertyRules.coordinates.lowerBound, min(value, PropertyRules.coordinates.upperBound))
}

private func room(_ count: UInt32) -> Text? {
  count == 0 ? nil : Text(utf8: input.bytes(count))
}

private func answer(_ document: [UInt8]) -> Answer {
  output.clear()
  output.append(document)
  return Answer(output.count)
}
