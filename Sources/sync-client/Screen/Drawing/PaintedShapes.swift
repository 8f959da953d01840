import CanvasCRDT
import TerminalCanvas

/// The painted pixels and names of the shapes. They are kept until a shape changes, since people's cursors move far
/// more often than shapes change. Where there is much to paint, a frame paints only a part of it, so that keys are
/// obeyed in between.
struct PaintedShapes {
  let view: CanvasView
  let theme: Theme
  private var painter: ScenePainter
  private let scene: CanvasScene
  /// The index of the first shape that is not painted yet.
  private var next = 0
  /// Whether every shape is painted.
  private(set) var isDone = false
  let labels: [CanvasScene.Label]
  /// Whether all common areas are included.
  let isWhole: Bool
  /// Until when a painting without all common areas may be shown. Painting should take a fifth of the time that finding
  /// common areas takes.
  private(set) var partialUntil: UInt64 = 0
  /// How long painting took.
  private(set) var milliseconds: UInt64 = 0

  /// The upper bound on shapes that are checked, for all names and texts together, to find out what covers them.
  private static let lookedAtMax = 100_000

  /// The upper bound on names, because nobody reads more of them than this.
  private static let namesMax = 200
  /// Texts may lie over each other, and only the frontmost can be read. So all texts together may fill at most this
  /// many times the cells of the view.
  private static let textLayersMax = 4
  /// A text is shown only if its letters are at least this many rows high and at least this many letters fit.
  private static let textRowsMin = 0.75
  private static let textColumnsMin = 3.0

  init(
    _ drawing: inout LiveDrawing,
    view: CanvasView,
    theme: Theme,
    lifted: Set<Identifier> = [],
    over: [CanvasScene.Item] = []
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
    scene.items += over
    self.scene = scene
    painter = ScenePainter(view: view, theme: theme)
    self.view = view
    self.theme = theme
    labels = PaintedShapes.labels(of: visible, in: drawing, view)
    goOn(since: began)
  }

  /// - Parameter view: where they are shown, which may be elsewhere by now than where they were painted.
  func pixels(in view: CanvasView) -> Pixels { painter.pixels.moved(from: self.view, to: view, paper: theme.paper) }

  /// Paints as much as fits into one frame.
  mutating func goOn(since began: UInt64 = Clocks.monotonicMilliseconds()) {
    guard !isDone else { return }
    let paintsShapes = next < scene.items.count
    if paintsShapes { next = painter.paint(scene.items, from: next, work: ScenePainter.workMax) }
    // Most drawings take one frame. If the shapes take several frames, the common areas get a frame of their own.
    if next == scene.items.count, !paintsShapes || painter.work < ScenePainter.workMax {
      painter.paintCommonRegions(scene)
      isDone = true
    }
    let now = Clocks.monotonicMilliseconds()
    milliseconds += now - began
    partialUntil = now + max(250, 4 * milliseconds)
  }

  /// The texts of shapes. A shape without a text shows its name instead, if the shape is large enough and no other
  /// shape covers its middle.
  private static func labels(
    of visible: [Identifier],
    in drawing: LiveDrawing,
    _ view: CanvasView
  ) -> [CanvasScene.Label] {
    var labels: [CanvasScene.Label] = []
    var names = 0
    var lookedAt = 0
    var cells = textLayersMax * view.columns * view.rows
    for shape in visible.reversed() {
      guard let item = drawing.items[shape], item.line == nil else { continue }
      let outline = item.outline
      let columns = outline.size.width * view.scale
      let rows = outline.size.height * view.rowScale
      if !item.text.isEmpty {
        guard cells > 0, columns >= textColumnsMin, rows >= textRowsMin else { continue }
        guard lookedAt < lookedAtMax, let covers = drawing.covers(of: shape, lookedAt: &lookedAt) else { continue }
        cells -= max(1, Int(min(columns, Double(view.columns)) * min(rows, Double(view.rows))))
        var label = CanvasScene.Label(item)
        label.text = item.text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0).printable }
          .joined(separator: "\n")
        label.covers = covers
        labels.append(label)
        continue
      }
      guard names < namesMax, columns * 0.7 >= 4, rows >= 2 else { continue }
      let name = drawing.name(of: shape)
      let center = Rect(origin: outline.position, size: outline.size).center
      guard Double(name.columns) <= columns * 0.7, lookedAt < lookedAtMax,
        drawing.shape(at: center, lookedAt: &lookedAt) == shape
      else { continue }
      labels.append(CanvasScene.Label(text: name, center: center))
      names += 1
    }
    return labels
  }
}
