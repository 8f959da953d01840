#if canImport(CanvasCRDT)
  import CanvasCRDT
#endif

// Shapes that chance makes, as rows of values for core.wasm to add.

private enum Making: UInt32 {
  /// Of a random bright colour, at a random place of the area.
  case square = 0
  /// Any shape, at a random place of the area.
  case any
  /// Of a random bright colour, around the point at which the area begins.
  case circle
}

/// A row of values without an identifier: see `Making`.
@_expose(wasm, "makeShape") @_cdecl("canvas_make_shape")
func makeShape(_ how: UInt32, _ x: Double, _ y: Double, _ width: Double, _ height: Double) -> Answer {
  guard let making = Making(rawValue: how) else { return fail("there is no such shape") }
  let factory = ShapeFactory(area: Rect(origin: Point(x: x, y: y), size: Size(width: width, height: height)))
  let made =
    switch making {
    case .square: factory.square(using: &chance)
    case .any: factory.make(using: &chance)
    case .circle: ShapeFactory.circle(centredAt: Point(x: x, y: y), using: &chance)
    }
  output.clear()
  output.append(nil, made.1)
  return Answer(output.count)
}

/// Half saturated at least and no darker than seven tenths: 0xRRGGBB.
@_expose(wasm, "brightColor") @_cdecl("canvas_bright_color")
func brightColor() -> UInt32 { Color.bright(using: &chance).packed }
