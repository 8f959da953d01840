import Basics
import CanvasCRDT
import TerminalCanvas

/// The painted shapes and their names. The painting is kept until a shape changes, because people's cursors can move
/// many times before that. A frame paints only a limited part of a large drawing, so that keys are handled between
/// frames.
struct PaintedShapes {
  let view: CanvasView
  let theme: Theme
  private var painter: ScenePainter
  private let scene: CanvasScene
  /// The index of the next shape to paint.
  private var next = 0
  /// Whether everything is painted.
  private(set) var isDone = false
  let labels: [CanvasScene.Label]
  /// Whether the common areas of all overlapping shapes are painted.
  let isWhole: Bool
  /// Until this time, the painting is shown even if the common areas of overlapping shapes are not painted yet. The
  /// time is chosen so that repainting takes at most a fifth of all time.
  private(set) var partialUntil: UInt64 = 0
  /// How long painting has taken so far.
  private(set) var milliseconds: UInt64 = 0

  /// To find what covers names and texts, at most this many shapes are checked in all.
  private static let lookedAtMax = 100_000
  /// To wrap this many bytes of a caption takes about as long as to check a shape.
  private static let bytesPerShape = 8

  /// At most this many names are shown, because nobody reads more.
  private static let namesMax = 200
  /// All texts together may fill at most this many times the view's area. A limit is needed because texts can lie over
  /// each other, and then only the frontmost can be read.
  private static let textLayersMax = 4
  /// A text is shown only if its letters are at least this many rows high, and at least `textColumnsMin` of them fit.
  private static let textRowsMin = 0.75
  private static let textColumnsMin = 3.0

  init(
    _ drawing: inout LiveDrawing,
    view: CanvasView,
    theme: Theme,
    lifted: Set<Identifier> = [],
    over: [CanvasScene.Item] = []
  ) {
    let began = SteadyClock.milliseconds()
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

  /// - Parameter view: the view in which to show the painting. It can differ from the view for which the painting was
  ///   made.
  func pixels(in view: CanvasView) -> Pixels { painter.pixels.moved(from: self.view, to: view, paper: theme.paper) }

  /// Paints as much as fits in one frame.
  mutating func goOn(since began: UInt64 = SteadyClock.milliseconds()) {
    guard !isDone else { return }
    let paintsShapes = next < scene.items.count
    if paintsShapes { next = painter.paint(scene.items, from: next, work: ScenePainter.workMax) }
    // If the shapes took more than one frame, the common areas get a frame of their own.
    if next == scene.items.count, !paintsShapes || painter.work < ScenePainter.workMax {
      painter.paintCommonRegions(scene)
      isDone = true
    }
    let now = SteadyClock.milliseconds()
    milliseconds += now - began
    partialUntil = now + max(250, 4 * milliseconds)
  }

  /// The texts to show on shapes. A shape without a text shows its name, if the shape is large enough and its middle
  /// isn't covered.
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
      guard let item = drawing.items[shape] else { continue }
      if item.line != nil {
        guard cells > 0, lookedAt < lookedAtMax else { continue }
        var bytes = 0
        let caption = CaptionCells(item, in: view, bytesWrapped: &bytes)
        lookedAt += bytes / bytesPerShape
        guard let caption, let covers = drawing.covers(of: shape, in: caption.box, lookedAt: &lookedAt)
        else { continue }
        cells -= caption.text.count
        var label = CanvasScene.Label(caption, color: item.stroke)
        label.text = printable(label.text)
        label.covers = covers
        labels.append(label)
        continue
      }
      let outline = item.outline
      let columns = outline.size.width * view.scale
      let rows = outline.size.height * view.rowScale
      if !item.text.isEmpty {
        guard cells > 0, columns >= textColumnsMin, rows >= textRowsMin else { continue }
        let box = Rect(origin: outline.position, size: outline.size)
        guard lookedAt < lookedAtMax, let covers = drawing.covers(of: shape, in: box, lookedAt: &lookedAt)
        else { continue }
        cells -= max(1, Int(min(columns, Double(view.columns)) * min(rows, Double(view.rows))))
        var label = CanvasScene.Label(item)
        label.text = printable(item.text)
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

  /// The text without characters that a terminal would act on. Its line breaks stay.
  private static func printable(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0).printable }.joined(separator: "\n")
  }
}
