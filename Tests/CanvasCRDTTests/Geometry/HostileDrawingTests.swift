import CanvasCRDT
import TestSupport
import Testing

/// However hostile a drawing is, the core does no more than is bounded.
@Suite("Hostile drawings")
struct HostileDrawingTests {
  private static let kinds = HostileDrawing.Kind.allCases
  private static let seeds: [UInt64] = [1, 2]

  private func drawing(_ kind: HostileDrawing.Kind, _ seed: UInt64) -> HostileDrawing {
    HostileDrawing(kind, seed: seed, shapes: kind == .heap ? 1_200 : 25)
  }

  private func index(of canvas: Canvas) -> OverlapIndex {
    OverlapIndex.shown(
      canvas.shapes.compactMap { shape in
        guard let drawn = canvas.drawn(shape.id), drawn.properties.visible else { return nil }
        return (identifier: shape.id, outline: drawn.outline)
      }
    )
  }

  @Test("The core tells no more pairs than are bounded, also while shapes move", arguments: kinds, seeds)
  func pairs(_ kind: HostileDrawing.Kind, seed: UInt64) throws {
    let drawing = drawing(kind, seed)
    var index = index(of: drawing.canvas)
    #expect(index.pairCount <= index.pairsMax && index.pairs.count == index.pairCount)
    let steps = try #require(index.stepsLeft)
    #expect(drawing.kind != .heap || index.isCrowded)
    for shape in drawing.canvas.shapes.prefix(100) where shape.properties.visible {
      var outline = shape.outline
      outline.position.x += 1
      _ = index.update(shape.id, to: outline)
      #expect(index.pairCount <= index.pairsMax)
    }
    // A change allows for few steps more, and one that takes more crowds the index.
    #expect(index.stepsLeft.map { $0 <= steps + 100 * OverlapIndex.stepsMax(shapes: 1) } == true)
  }
}
