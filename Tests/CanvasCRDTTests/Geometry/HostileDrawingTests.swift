import CanvasCRDT
import TestSupport
import Testing

/// However hostile a drawing is, the core does no more work than its bounds allow.
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
    // Each change adds only a few steps, and a change that takes more than are left makes the index crowded.
    #expect(index.stepsLeft.map { $0 <= steps + 100 * OverlapIndex.stepsMax(shapes: 1) } == true)
  }
}
