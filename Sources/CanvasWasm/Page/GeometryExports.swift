// Geometry: which shapes are at a place, and which shapes overlap. Hidden shapes are ignored.

/// The shapes whose outline contains the point, the topmost first. A point on the outline counts.
@_cdecl("shapesAt")
func shapesAt(_ session: UInt32, _ x: Double, _ y: Double) -> Answer {
  answer(session) { session, output in
    output.append(session.inOrder(session.overlaps.shapes(at: Point(x: x, y: y))).reversed())
  }
}

/// The identifiers of the shapes that might be visible within a distance of a point, the topmost first.
@_cdecl("shapesNear")
func shapesNear(_ session: UInt32, _ x: Double, _ y: Double, _ distance: Double) -> Answer {
  answer(session) { session, output in
    let near = Rect(x - distance, y - distance, 2 * distance, 2 * distance)
    output.append(session.inOrder(session.reaches.shapes(in: near, of: session.overlaps)).reversed())
  }
}

/// Rows of the shapes that might be visible in a box, from the back to the front. Shapes outside the box are included
/// if their strokes or captions can extend into it.
@_cdecl("shapesInView")
func shapesInView(_ session: UInt32, _ x: Double, _ y: Double, _ width: Double, _ height: Double) -> Answer {
  answer(session) { session, output in
    let view = Rect(x, y, width, height)
    session.writeRows(of: session.inOrder(session.reaches.shapes(in: view, of: session.overlaps)), to: &output)
  }
}

/// The shapes whose outline shares area with a box, from the back to the front. With `wholly`, only the shapes that are
/// completely inside the box.
@_cdecl("shapesInBox")
func shapesInBox(
  _ session: UInt32,
  _ x: Double,
  _ y: Double,
  _ width: Double,
  _ height: Double,
  _ wholly: Bool
) -> Answer {
  answer(session) { session, output in
    let box = Rect(x, y, width, height)
    let overlaps = session.overlaps
    var shapes = overlaps.meeting(box)
    if wholly {
      shapes.removeAll { shape in overlaps.outline(of: shape).map { box.contains($0.bounds) } != true }
    }
    output.append(session.inOrder(shapes))
  }
}

/// The bounding box, as four doubles, of the shapes whose `count` identifiers are in the input. If `count` is 0, the
/// box contains all shapes. The answer is empty if none of the shapes is visible.
@_cdecl("bounds")
func bounds(_ session: UInt32, _ count: UInt32) -> Answer {
  let named = input.identifiers(count)
  return answer(session) { session, output in
    let overlaps = session.overlaps
    var around: Rect?
    for shape in count == 0 ? session.order.identifiers : named {
      guard let bounds = overlaps.outline(of: shape)?.bounds else { continue }
      around = around?.union(bounds) ?? bounds
    }
    guard let around else { return }
    output.append(around.origin)
    output.append(around.size.width)
    output.append(around.size.height)
  }
}

/// The corners of a polygon that approximates a shape's outline to within `flatness`. This also works for hidden
/// shapes. The answer is empty if the shape doesn't exist.
@_cdecl("outline")
func outline(_ session: UInt32, _ shape: Double, _ flatness: Double) -> Answer {
  answer(session) { session, output in
    guard let id = Identifier(number: shape), let shape = session.replica.canvas[id] else { return }
    for corner in shape.outline.polygon(flatness: flatness) { output.append(corner) }
  }
}

// MARK: - Overlaps

/// The pairs that began or stopped overlapping since the last call: for each pair, its two shapes and whether they
/// overlap now. After a reset, all overlapping pairs.
@_cdecl("changedPairs")
func changedPairs(_ session: UInt32) -> Answer {
  answer(session) { session, output in
    for change in session.takePairs() {
      output.append(change.pair.first)
      output.append(change.pair.second)
      output.append(change.overlaps)
    }
  }
}

/// All overlapping pairs, as two identifiers each.
@_cdecl("overlapPairs")
func overlapPairs(_ session: UInt32) -> Answer {
  answer(session) { session, output in
    for pair in session.overlaps.pairs {
      output.append(pair.first)
      output.append(pair.second)
    }
  }
}

/// The shapes that a shape overlaps.
@_cdecl("neighbours")
func neighbours(_ session: UInt32, _ shape: Double) -> Answer {
  answer(session) { session, output in
    if let shape = Identifier(number: shape) { output.append(session.overlaps.neighbours(of: shape)) }
  }
}

/// The common area of two shapes, as polygons to draw: for each polygon the number of its corners, and then the
/// corners.
@_cdecl("commonRegion")
func commonRegion(_ session: UInt32, _ first: Double, _ second: Double) -> Answer {
  answer(session) { session, output in
    let overlaps = session.overlaps
    guard let first = Identifier(number: first), let second = Identifier(number: second),
      let one = overlaps.outline(of: first), let other = overlaps.outline(of: second)
    else { return }
    for loop in one.commonRegion(with: other) ?? [] {
      output.append(Double(loop.count))
      for corner in loop { output.append(corner) }
    }
  }
}

extension Rect {
  fileprivate init(_ x: Double, _ y: Double, _ width: Double, _ height: Double) {
    self.init(origin: Point(x: x, y: y), size: Size(width: width, height: height))
  }
}
