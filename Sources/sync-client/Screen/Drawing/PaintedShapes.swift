import CanvasCRDT
import TerminalCanvas

/// The shapes' pixels and names. They are kept until a shape changes, since people's cursors move more often.
struct PaintedShapes {
  let view: CanvasView
  let theme: Theme
  let pixels: Pixels
  let labels: [CanvasScene.Label]
  /// Whether all common areas are painted.
  let isWhole: Bool
  /// Until when an incomplete painting may be shown. Painting should take a fifth of the time that finding common areas
  /// takes.
  let partialUntil: UInt64

  /// Nobody reads more names than this.
  private static let labelsMax = 200

  init(
    _ drawing: inout LiveDrawing,
    view: CanvasView,
    theme: Theme,
    lifted: Set<Identifier> = [],
    departing: [CanvasScene.Item] = []
  ) {
    let began = Clocks.monotonicMilliseconds()
    let box = view.visibleBox
    let visible = drawing.visible(in: box)
    var scene = CanvasScene()
    scene.items.reserveCapacity(visible.count)
    for shape in visible {
      guard let item = drawing.items[shape] else { continue }
      scene.items.append(lifted.contains(shape) ? item.lifted : item)
    }
    isWhole = drawing.commonRegions(of: visible, in: box, into: &scene.commonRegions)
    scene.items += departing
    var painter = ScenePainter(view: view, theme: theme)
    painter.paintShapes(scene)
    self.view = view
    self.theme = theme
    pixels = painter.pixels
    labels = PaintedShapes.labels(of: visible, in: drawing, view)
    let now = Clocks.monotonicMilliseconds()
    partialUntil = now + max(250, 4 * (now - began))
  }

  /// What is written in the shapes, and the names of the others that are large enough; where their middle is not covered by
  /// another.
  private static func labels(
    of visible: [Identifier],
    in drawing: LiveDrawing,
    _ view: CanvasView
  ) -> [CanvasScene.Label] {
    var labels: [CanvasScene.Label] = []
    for shape in visible.reversed() {
      guard labels.count < labelsMax else { break }
      guard let item = drawing.items[shape], item.line == nil else { continue }
      let outline = item.outline
      if !item.text.isEmpty {
        var label = CanvasScene.Label(item)
        label.text = item.text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0).printable }
          .joined(separator: "\n")
        if drawing.shape(at: label.center) == shape { labels.append(label) }
        continue
      }
      let columns = outline.size.width * view.scale * 0.7
      guard columns >= 4, outline.size.height * view.rowScale >= 2 else { continue }
      let name = drawing.name(of: shape)
      let center = Rect(origin: outline.position, size: outline.size).center
      guard Double(name.columns) <= columns, drawing.shape(at: center) == shape else { continue }
      labels.append(CanvasScene.Label(text: name, center: center))
    }
    return labels
  }
}
