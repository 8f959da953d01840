#if canImport(CanvasCRDT)
  import CanvasCRDT
#endif

// What lies where, in a module of its own: a plane for each session, which JavaScript keeps up with what core.wasm says of
// outlines. Hidden shapes lie nowhere.

/// See `Boundary.swift` for why it may be shared.
nonisolated(unsafe) private var planes = HandleTable<Plane>()

private func answer(_ plane: UInt32, _ write: (Plane, inout OutputBuffer) -> Void) -> Answer {
  output.clear()
  write(planes[plane], &output)
  return Answer(output.count)
}

@_expose(wasm, "createPlane") @_cdecl("canvas_create_plane")
func createPlane() -> UInt32 { planes.insert(Plane()) }

@_expose(wasm, "destroyPlane") @_cdecl("canvas_destroy_plane")
func destroyPlane(_ plane: UInt32) { planes.remove(plane) }

/// Takes in what core.wasm's `outlineChanges` has answered, which stands in the input.
@_expose(wasm, "follow") @_cdecl("canvas_follow")
func follow(_ plane: UInt32, _ count: UInt32) {
  planes[plane].follow(OutlineRowReader(input.bytes(count)))
}

/// The pairs that began or ceased to overlap since this was last asked: of each the two shapes and whether they overlap.
/// After a beginning anew all that there are.
@_expose(wasm, "changedPairs") @_cdecl("canvas_changed_pairs")
func changedPairs(_ plane: UInt32) -> Answer {
  answer(plane) { plane, output in
    for change in plane.takePairs() {
      output.append(change.pair.first)
      output.append(change.pair.second)
      output.append(change.overlaps)
    }
  }
}

/// The shapes whose outline a point is in or on.
@_expose(wasm, "shapesAt") @_cdecl("canvas_shapes_at")
func shapesAt(_ plane: UInt32, _ x: Double, _ y: Double) -> Answer {
  answer(plane) { plane, output in output.append(plane.overlaps.shapes(at: Point(x: x, y: y))) }
}

/// The shapes whose box touches a box.
@_expose(wasm, "shapesNear") @_cdecl("canvas_shapes_near")
func shapesNear(_ plane: UInt32, _ x: Double, _ y: Double, _ width: Double, _ height: Double) -> Answer {
  answer(plane) { plane, output in output.append(plane.overlaps.shapes(in: Rect(x, y, width, height))) }
}

/// The shapes whose outline shares area with a box; or only those that lie wholly within.
@_expose(wasm, "shapesInBox") @_cdecl("canvas_shapes_in_box")
func shapesInBox(
  _ plane: UInt32,
  _ x: Double,
  _ y: Double,
  _ width: Double,
  _ height: Double,
  _ wholly: Bool
) -> Answer {
  answer(plane) { plane, output in
    let box = Rect(x, y, width, height)
    for shape in plane.overlaps.overlapping(box) {
      if !wholly || plane.overlaps.outline(of: shape).map({ box.contains($0.bounds) }) == true {
        output.append(shape)
      }
    }
  }
}

/// The box around so many shapes, which stand in the input: four doubles, or nothing where none of them is anywhere.
@_expose(wasm, "bounds") @_cdecl("canvas_bounds")
func bounds(_ plane: UInt32, _ count: UInt32) -> Answer {
  let shapes = input.identifiers(count)
  return answer(plane) { plane, output in
    var around: Rect?
    for shape in shapes {
      guard let bounds = plane.overlaps.outline(of: shape)?.bounds else { continue }
      around = around?.union(bounds) ?? bounds
    }
    guard let around else { return }
    output.append(around.origin)
    output.append(around.size.width)
    output.append(around.size.height)
  }
}

/// The outline whose row stands in the input as a polygon that is nowhere farther from it than `flatness`: its corners.
@_expose(wasm, "outline") @_cdecl("canvas_outline")
func outline(_ count: UInt32, _ flatness: Double) -> Answer {
  output.clear()
  var rows = OutlineRowReader(input.bytes(count))
  if let outline = rows.next()?.outline {
    for corner in outline.polygon(flatness: flatness) { output.append(corner) }
  }
  return Answer(output.count)
}

// MARK: - Overlaps

/// All pairs that overlap, two identifiers each.
@_expose(wasm, "overlapPairs") @_cdecl("canvas_overlap_pairs")
func overlapPairs(_ plane: UInt32) -> Answer {
  answer(plane) { plane, output in
    for pair in plane.overlaps.pairs {
      output.append(pair.first)
      output.append(pair.second)
    }
  }
}

/// Whom a shape overlaps.
@_expose(wasm, "neighbours") @_cdecl("canvas_neighbours")
func neighbours(_ plane: UInt32, _ shape: Double) -> Answer {
  answer(plane) { plane, output in
    if let shape = Identifier(number: shape) { output.append(plane.overlaps.neighbours(of: shape)) }
  }
}

/// What two shapes have in common, as polygons to draw: of each how many corners it has, and the corners.
@_expose(wasm, "commonRegion") @_cdecl("canvas_common_region")
func commonRegion(_ plane: UInt32, _ first: Double, _ second: Double) -> Answer {
  answer(plane) { plane, output in
    guard let first = Identifier(number: first), let second = Identifier(number: second),
      let one = plane.overlaps.outline(of: first), let other = plane.overlaps.outline(of: second)
    else { return }
    for loop in one.commonRegion(with: other) {
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
