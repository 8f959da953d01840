import CanvasCRDT
import TestSupport
import Testing

@testable import TerminalCanvas

/// Whoever shows a hostile drawing does no more than is bounded: pairs, parts of broken lines, bytes, common areas.
@Suite("Hostile drawings as pictures")
struct HostilePictureTests {
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

  @Test(
    "A picture as SVG has no more parts of broken lines than are bounded, and is no longer than its drawing",
    arguments: kinds,
    seeds
  )
  func picture(_ kind: HostileDrawing.Kind, seed: UInt64) {
    let drawing = drawing(kind, seed)
    var export = SVGExport(Drawing(drawing.canvas))
    export.overlaps = index(of: drawing.canvas).pairs
    let document = export.document()
    var parts = 0.0
    for bytes in document.split(separator: UInt8(ascii: "<")) {
      let element = Substring(decoding: bytes, as: UTF8.self)
      guard let pattern = lists(of: "stroke-dasharray", in: element).first else { continue }
      parts += length(of: element) / pattern.reduce(0, +)
    }
    #expect(parts <= Double(DashBudget.partsMax))
    // Common areas have 500,000 corners at most.
    #expect(document.count <= 6 * drawing.document.count + 20_000_000)
  }

  /// The numbers of an attribute; of a path, each list is a part of it that is drawn without a break.
  private func lists(of attribute: String, in element: Substring) -> [[Double]] {
    let attributes = element.utf8.split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false)
    let ending = " \(attribute)=".utf8
    guard let name = attributes.firstIndex(where: { $0.suffix(ending.count).elementsEqual(ending) }) else { return [] }
    let digits = Set("-.0123456789e".utf8)
    return attributes[name + 1].split(separator: UInt8(ascii: "M")).map { part in
      part.split { !digits.contains($0) }.compactMap { Double(Substring($0)) }
    }
  }

  /// No less than what is drawn is long.
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

  @Test("The terminal and a picture as PNG paint no more parts and areas than are bounded", arguments: kinds, seeds)
  func pixels(_ kind: HostileDrawing.Kind, seed: UInt64) {
    let drawing = drawing(kind, seed)
    let canvas = drawing.canvas
    let index = index(of: canvas)
    var scene = CanvasScene()
    scene.items = canvas.shapes.compactMap { canvas.drawn($0.id) }.map { CanvasScene.Item($0) }
    for pair in index.pairs {
      guard let first = index.outline(of: pair.first), let second = index.outline(of: pair.second) else { continue }
      scene.commonRegions += first.commonRegion(with: second)
    }
    for percent in [1.0, 100, 800] {
      var view = CanvasView(columns: 120, rows: 40)
      view.zoom(toPercent: percent)
      var painter = ScenePainter(view: view, theme: .dark)
      painter.paintShapes(scene)
      #expect((0...DashBudget.partsMax).contains(painter.dashes.partsLeft))
    }
  }
}
