import CanvasCRDT
import TestSupport
import Testing

@testable import TerminalCanvas

/// Pictures of hostile drawings stay within three limits: dashes, bytes, and corners of common areas.
@Suite("Hostile drawings as pictures")
struct HostilePictureTests {
  @Test(
    "A picture as SVG has no more parts of broken lines than are bounded, and is no longer than its drawing",
    arguments: HostileDrawing.Kind.allCases,
    HostileDrawing.seeds
  )
  func picture(_ kind: HostileDrawing.Kind, seed: UInt64) {
    let drawing = HostileDrawing.sample(kind, seed: seed)
    var export = SVGExport(Drawing(drawing.canvas))
    export.overlaps = drawing.overlaps.pairs
    let document = export.document()
    var parts = 0.0
    for bytes in document.split(separator: UInt8(ascii: "<")) {
      let element = Substring(decoding: bytes, as: UTF8.self)
      guard let pattern = lists(of: "stroke-dasharray", in: element).first else { continue }
      parts += length(of: element) / pattern.reduce(0, +)
    }
    #expect(parts <= Double(DashBudget.partsMax))
    // The extra 20 MB are for common areas, which have at most 500,000 corners.
    #expect(document.count <= 6 * drawing.document.count + 20_000_000)
  }

  @Test(
    "A part of a painting is no more work than is bounded, and all parts together are the whole",
    arguments: HostileDrawing.Kind.allCases,
    HostileDrawing.seeds
  )
  func parts(_ kind: HostileDrawing.Kind, seed: UInt64) {
    let canvas = HostileDrawing(kind, seed: seed, shapes: kind == .heap ? 1_200 : 60).canvas
    var scene = CanvasScene()
    scene.items = canvas.shapes.filter { $0.properties.visible }.map { CanvasScene.Item(canvas.drawn($0)) }
    let view = CanvasView(columns: 120, rows: 40)
    var painter = ScenePainter(view: view, theme: .dark)
    var (next, parts, most) = (0, 0, 0)
    while next < scene.items.count, parts < scene.items.count {
      let before = painter.work
      next = painter.paint(scene.items, from: next, work: ScenePainter.workMax)
      (parts, most) = (parts + 1, max(most, painter.work - before))
    }
    #expect(next == scene.items.count)
    // A step may exceed its limit by one shape, because it always finishes the shape that it has begun.
    #expect(most <= 10 * ScenePainter.workMax, "\(kind) \(seed): \(parts) parts, at most \(most)")
    #expect(kind != .wideInk && kind != .heap || parts > 1)
    var whole = ScenePainter(view: view, theme: .dark)
    whole.paintShapes(scene)
    #expect(painter.pixels == whole.pixels)
  }

  /// The numbers in an attribute of an SVG element. For a path, one list for each unbroken stretch.
  private func lists(of attribute: String, in element: Substring) -> [[Double]] {
    let attributes = element.utf8.split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false)
    let ending = " \(attribute)=".utf8
    guard let name = attributes.firstIndex(where: { $0.suffix(ending.count).elementsEqual(ending) }) else { return [] }
    let digits = Set("-.0123456789e".utf8)
    return attributes[name + 1].split(separator: UInt8(ascii: "M")).map { part in
      part.split { !digits.contains($0) }.compactMap { Double(Substring($0)) }
    }
  }

  /// An upper bound on the length of the line that an element draws.
  private func length(of element: Substring) -> Double {
    func sides(_ names: String...) -> Double { names.reduce(0) { $0 + (lists(of: $1, in: element).first?.first ?? 0) } }
    if element.hasPrefix("rect") { return 2 * sides("width", "height") }
    if element.hasPrefix("ellipse") { return 4 * sides("rx", "ry") }
    var length = 0.0
    for values in lists(of: element.hasPrefix("polygon") ? "points" : "d", in: element) {
      for at in stride(from: 2, to: values.count - 1, by: 2) {
        let (across, down) = (values[at] - values[at - 2], values[at + 1] - values[at - 1])
        length += (across * across + down * down).squareRoot()
      }
    }
    return length
  }
}
