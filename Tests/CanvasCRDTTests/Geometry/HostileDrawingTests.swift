import CanvasCRDT
import TestSupport
import Testing

/// Hostile drawings must not make the core exceed its limits on work.
@Suite("Hostile drawings")
struct HostileDrawingTests {
  @Test(
    "The core tells no more pairs than are bounded, also while shapes move",
    arguments: HostileDrawing.Kind.allCases,
    HostileDrawing.seeds
  )
  func pairs(_ kind: HostileDrawing.Kind, seed: UInt64) throws {
    let drawing = HostileDrawing.sample(kind, seed: seed)
    var index = drawing.overlaps
    #expect(index.pairCount <= index.pairsMax && index.pairs.count == index.pairCount)
    let steps = try #require(index.stepsLeft)
    #expect(drawing.kind != .heap || index.isCrowded)
    for shape in drawing.canvas.shapes.prefix(100) where shape.properties.visible {
      var outline = shape.outline
      outline.position.x += 1
      _ = index.update(shape.id, to: outline)
      #expect(index.pairCount <= index.pairsMax)
    }
    // Each change adds only a few steps to the index's budget, so the budget stays low.
    #expect(index.stepsLeft.map { $0 <= steps + 100 * OverlapIndex.stepsMax(shapes: 1) } == true)
  }

  @Test("Lines that cross each other are no work, since they overlap nothing: neither all at once nor when they move")
  func lines() throws {
    let canvas = HostileDrawing(.tied, seed: 1, shapes: 1_000).canvas
    let shapes = canvas.shapes.map { canvas.drawn($0) }.map { (identifier: $0.id, outline: $0.outline) }
    let steps = 10 * shapes.count
    var index = OverlapIndex(shapes, stepsLeft: steps)
    // All lines are tied to one star and lie near it, so the index compares the star with each of them.
    let left = try #require(index.stepsLeft)
    #expect(!index.isCrowded && (1..<steps).contains(left))
    for line in shapes where line.outline.kind == .line {
      var outline = line.outline
      outline.position.x += 1
      #expect(index.update(line.identifier, to: outline).isEmpty)
    }
    #expect(index.stepsLeft == left && index.outline(of: shapes[1].identifier) != shapes[1].outline)
  }
}
