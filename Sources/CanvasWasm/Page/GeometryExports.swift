#if canImport(CanvasCRDT)
  import CanvasCRDT
#endif

// What lies where. Hidden shapes lie nowhere.

/// The shapes whose outline a point is in or on, the topmost first.
@_expose(wasm, "shapesAt") @_cdecl("canvas_shapes_at")
func shapesAt(_ session: UInt32, _ x: Double, _ y: Double) -> Answer {
  answer(session) { session, output in
    let shapes = session.inOrder(session.overlaps.shapes(at: Point(x: x, y: y)))
    for shape in shapes.reversed() { output.append(shape) }
  }
}

/// The shapes whose outline shares area with a box, from the back to the front; or only those that lie wholly within.
@_expose(wasm, "shapesInBox") @_cdecl("canvas_shapes_in_box")
func shapesInBox(
  _ session: UInt32,
  _ x: Double,
  _ y: Double,
  _ width: Double,
  _ height: Double,
  _ wholly: Bool
) -> Answer {
  answer(session) { session, output in
    let box = Rect(origin: Point(x: x, y: y), size: Size(width: width, height: height))
    for shape in session.inOrder(session.overlaps.overlapping(box)) {
      if !wholly || session.overlaps.outline(of: shape).map({ box.contains($0.bounds) }) == true {
        output.append(shape)
      }
    }
  }
}

/// The box around so many shapes, which stand in the input, or around all that are visible where none do: four doubles,
/// or nothing where there is nothing.
@_expose(wasm, "bounds") @_cdecl("canvas_bounds")
func bounds(_ session: UInt32, _ count: UInt32) -> Answer {
  let shapes = input.identifiers(count)
  return answer(session) { session, output in
    var around: Rect?
    for shape in shapes.isEmpty ? session.order.identifiers : shapes {
      guard let bounds = session.overlaps.outline(of: shape)?.bounds else { continue }
      around = around?.union(bounds) ?? bounds
    }
    guard let around else { return }
    output.append(around.origin)
    output.append(around.size.width)
    output.append(around.size.height)
  }
}

/// A shape's outline as a polygon that is nowhere farther from it than `flatness`: its corners.
@_expose(wasm, "outline") @_cdecl("canvas_outline")
func outline(_ session: UInt32, _ shape: Double, _ flatness: Double) -> Answer {
  answer(session) { session, output in
    guard let shape = Identifier(number: shape), let outline = session.replica.canvas[shape]?.outline else { return }
    for corner in outline.polygon(flatness: flatness) { output.append(corner) }
  }
}

// MARK: - Overlaps

/// All pairs that overlap, two identifiers each.
@_expose(wasm, "overlapPairs") @_cdecl("canvas_overlap_pairs")
func overlapPairs(_ session: UInt32) -> Answer {
  answer(session) { session, output in
    for pair in session.overlaps.pairs {
      output.append(pair.first)
      output.append(pair.second)
    }
  }
}

/// Whom a shape overlaps.
@_expose(wasm, "neighbours") @_cdecl("canvas_neighbours")
func neighbours(_ session: UInt32, _ shape: Double) -> Answer {
  answer(session) { session, output in
    if let shape = Identifier(number: shape) { output.append(session.overlaps.neighbours(of: shape)) }
  }
}

/// What two shapes have in common, as polygons to draw: of each how many corners it has, and the corners.
@_expose(wasm, "commonRegion") @_cdecl("canvas_common_region")
func commonRegion(_ session: UInt32, _ first: Double, _ second: Double) -> Answer {
  answer(session) { session, output in
    guard let first = Identifier(number: first), let second = Identifier(number: second),
      let one = session.overlaps.outline(of: first), let other = session.overlaps.outline(of: second)
    else { return }
    for loop in one.commonRegion(with: other) {
      output.append(Double(loop.count))
      for corner in loop { output.append(corner) }
    }
  }
}
