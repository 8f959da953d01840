import CanvasCRDT

/// Paints a scene into pixels, four for each cell of the view.
///
/// There are two layers, which change at different times: one with the shapes and their common areas, and over it one
/// with people's cursors and selections.
public struct ScenePainter {
  private let view: CanvasView
  private let theme: Theme
  /// The number of pixels per unit of the canvas.
  private let across: Double
  private let down: Double
  private var inside: Coverage
  private var line: Coverage
  public private(set) var pixels: Pixels
  /// How many more dashes the picture may have.
  public private(set) var dashes: DashBudget
  /// How many shapes have been painted, and bytes of captions wrapped.
  private var painted = 0
  /// How much work may still be spent on painting common areas, in which shapes overlap.
  public private(set) var regionWork = ScenePainter.regionWorkMax

  /// An upper bound on the work for common areas. The work is measured in pixels of the areas' bounding boxes, plus
  /// some for each corner. A drawing that exceeds the bound has more common areas than anybody can tell apart.
  static let regionWorkMax = 4_000_000
  /// The greatest allowed distance between a chord and its curve, in pixels.
  private static let flatness = 0.1

  /// A painter that begins with an empty canvas.
  public init(view: CanvasView, theme: Theme) {
    self.init(view: view, theme: theme, over: nil)
  }

  /// A painter that paints over an earlier painting of the same view.
  public init(view: CanvasView, theme: Theme, over before: Pixels?) {
    self.view = view
    self.theme = theme
    across = view.scale * 2
    down = view.rowScale * 2
    // Dashes that are smaller than a pixel couldn't be told apart. A line with such dashes is painted solid.
    dashes = DashBudget(pixel: 1 / across)
    let width = view.columns * 2
    let height = view.rows * 2
    inside = Coverage(width: width, height: height)
    line = Coverage(width: width, height: height)
    if let before, before.width == width, before.height == height {
      pixels = before
    } else {
      pixels = Pixels(width: width, height: height, filledWith: theme.paper)
    }
  }

  private func pixel(_ point: Point) -> Point {
    Point(x: (point.x - view.origin.x) * across, y: (point.y - view.origin.y) * down)
  }

  // MARK: - Shapes

  public mutating func paintShapes(_ scene: CanvasScene) {
    _ = paint(scene.items, from: 0, work: .max)
    paintCommonRegions(scene)
  }

  /// How much work is done before the program checks for keys again. This much work takes some fifteen milliseconds.
  /// The last shape can exceed the limit, because a single shape can take several times as long.
  public static let workMax = regionWorkMax

  /// Paints shapes in order, beginning at an index, until this much work is done.
  /// - Returns: the index of the first shape that is still to be painted.
  public mutating func paint(_ items: [CanvasScene.Item], from start: Int, work workMax: Int) -> Int {
    let before = work
    var next = start
    while next < items.count, work - before < workMax {
      paint(items[next])
      painted += 1
      next += 1
    }
    return next
  }

  public mutating func paintCommonRegions(_ scene: CanvasScene) {
    for region in scene.commonRegions { paintCommonRegion(region) }
  }

  /// How much work has been done, in pixels that were computed.
  public var work: Int { inside.work + line.work + painted * Coverage.pixelsPerCorner }

  private mutating func paint(_ item: CanvasScene.Item) {
    let outline = item.outline
    if let drawn = item.line {
      if item.strokeWidth > 0, !paintsAsDot(item) { paint(drawn, item) }
      return
    }
    // A text has no area to paint. Its letters are written into the cells later.
    if outline.kind == .text || !item.isFilled && item.strokeWidth == 0 || paintsAsDot(item) { return }
    let corners = outline.polygon(flatness: ScenePainter.flatness / max(across, down))
    if item.isFilled { inside.add(corners.map { pixel($0) }) }
    let fill = SIMD4<Float>(item.fill)
    let opacity = Float(item.opacity)
    guard item.strokeWidth > 0 else {
      inside.take { row, column, part in pixels.blend(row, column, fill, part: part * opacity) }
      return
    }
    let polygons =
      parts(item.dash, item.strokeWidth, along: corners + corners.prefix(1))
      ?? Stroke.polygons(along: corners, width: item.strokeWidth)
    for polygon in polygons { line.add(polygon.map { pixel($0) }) }
    let stroke = SIMD4<Float>(item.stroke)
    // The inside and the stroke are painted together. Otherwise the inside would show through a transparent stroke.
    Coverage.take(&inside, &line) { row, column, filled, stroked in
      let covered = filled + stroked - filled * stroked
      let color = fill + (stroke - fill) * (stroked / covered)
      pixels.blend(row, column, color, part: covered * opacity)
    }
  }

  /// Paints a line or ink. All its parts are painted together, so that no pixel is painted twice where they meet.
  private mutating func paint(_ drawn: DrawnLine, _ item: CanvasScene.Item) {
    // A line is painted at least half a pixel wide, because a thinner line would be too faint.
    let widthMin = 0.5 / down
    let way = item.lineWay
    var drawn = drawn
    if let caption = CaptionCells(item, in: view, bytesWrapped: &painted), let halfway = item.halfway {
      drawn.leaveGap(caption.gap(around: halfway))
    }
    var polygons: [[Point]] = []
    if let broken = brokenParts(of: drawn, item, widthMin: widthMin, way) {
      for polygon in broken { line.add(polygon.map { pixel($0) }) }
    } else {
      polygons = Stroke.polygons(of: drawn, widthMin: widthMin, stepMax: 1 / across)
    }
    for head in drawn.heads {
      switch head {
      case .arrow(let tip, let left, let right): polygons.append([tip, right, left])
      case .dot(let center, let radius): polygons.append(Stroke.disc(around: center, radius: radius))
      }
    }
    for polygon in polygons { line.add(polygon.map { pixel(way?.end(of: $0) ?? $0) }) }
    let color = SIMD4<Float>(item.stroke)
    let opacity = Float(item.opacity)
    line.take { row, column, part in pixels.blend(row, column, color, part: part * opacity) }
  }

  /// The dashes of a line. `nil` if they are too small or too many; the line is then painted solid.
  private mutating func parts(_ dash: Dash, _ width: Double, along points: [Point]) -> [[Point]]? {
    guard dash != .solid else { return nil }
    let broken = Dashes(dash, width: width, within: view.visibleBox)
    guard dashes.takes(dash, width: width, length: broken.seenLength(along: points)) else { return nil }
    return broken.polygons(along: points)
  }

  /// The dashes of a line or of ink, which can have several widths. `nil` if they are too small or too many at one
  /// width.
  private mutating func brokenParts(
    of drawn: DrawnLine,
    _ item: CanvasScene.Item,
    widthMin: Double,
    _ way: BoxWay?
  ) -> [[Point]]? {
    guard item.dash != .solid else { return nil }
    var polygons: [[Point]] = []
    for run in Stroke.runs(of: drawn, stepMax: 1 / across) {
      let points = run.points.map { way?.end(of: $0) ?? $0 }
      guard let made = parts(item.dash, max(run.width, widthMin), along: points) else { return nil }
      polygons += made
    }
    return polygons
  }

  /// Paints a shape that is smaller than a pixel as one pixel. The smaller the shape, the fainter the pixel.
  /// - Returns: false if the shape is not smaller than a pixel.
  private mutating func paintsAsDot(_ item: CanvasScene.Item) -> Bool {
    let width = (item.outline.size.width + item.strokeWidth) * across
    let height = (item.outline.size.height + item.strokeWidth) * down
    guard width < 1, height < 1 else { return false }
    let size = item.outline.size
    let center = Point(x: item.outline.position.x + size.width / 2, y: item.outline.position.y + size.height / 2)
    let place = pixel(center)
    guard place.x >= 0, place.y >= 0, place.x < Double(pixels.width), place.y < Double(pixels.height) else {
      return true
    }
    // The opacity has a lower bound, so that the pixel stays visible.
    let part = max(0.15, width * height) * item.opacity
    pixels.blend(Int(place.y), Int(place.x), SIMD4(item.isFilled ? item.fill : item.stroke), part: Float(part))
    return true
  }

  private mutating func paintCommonRegion(_ region: [Point]) {
    let corners = region.map { pixel($0) }
    regionWork -= Coverage.pixelsPerCorner * corners.count + seenPixels(around: corners)
    guard regionWork > 0 else { return }
    inside.add(corners)
    for polygon in Stroke.polygons(along: corners, width: 1) { line.add(polygon) }
    let orange = SIMD4<Float>(Theme.overlap, mark: 1)
    Coverage.take(&inside, &line) { row, column, filled, stroked in
      let part = max(filled * Float(Theme.overlapPart), stroked * 0.9)
      pixels.blend(row, column, orange, part: part)
    }
  }

  /// How many visible pixels are in the bounding box of some corners.
  private func seenPixels(around corners: [Point]) -> Int {
    func seen(_ values: [Double], _ most: Int) -> Int {
      let (least, greatest) = values.reduce((Double.infinity, -Double.infinity)) { (min($0.0, $1), max($0.1, $1)) }
      return max(0, Int(min(greatest, Double(most)) - max(least, 0)))
    }
    guard corners.allSatisfy({ $0.x.isFinite && $0.y.isFinite }), !corners.isEmpty else { return 0 }
    return seen(corners.map(\.x), pixels.width) * seen(corners.map(\.y), pixels.height)
  }

  // MARK: - People's cursors and selections

  public mutating func paintMarks(_ scene: CanvasScene) {
    if let hole = scene.hole { paintHole(swollen: hole) }
    for mark in scene.marks {
      let corners = mark.outline.polygon(flatness: ScenePainter.flatness / max(across, down)).map { pixel($0) }
      paintLine(along: corners, mark.color)
    }
    if let band = scene.band {
      let corners = Outline(band).polygon(flatness: 1).map { pixel($0) }
      paintLine(along: corners, theme.quiet)
    }
  }

  private mutating func paintLine(along corners: [Point], _ color: Color) {
    for polygon in Stroke.polygons(along: corners, width: 1) { line.add(polygon) }
    let color = SIMD4<Float>(color)
    line.take { row, column, part in pixels.blend(row, column, color, part: part) }
  }

  /// Paints a white disc with a soft edge. On white paper the disc also gets a ring, because it would be invisible
  /// otherwise.
  private mutating func paintHole(swollen: Double) {
    let hole = BlackHole(view: view)
    let white = SIMD4<Float>(Color(red: 255, green: 255, blue: 255))
    let isOnWhite = theme.paper.luminance > 128
    for (grown, part) in [(1.35, 0.18), (1.18, 0.3), (1.0, 1.0)] {
      let circle = hole.circle(grownBy: grown * swollen)
      inside.add(circle.polygon(flatness: ScenePainter.flatness / max(across, down)).map { pixel($0) })
      let color = isOnWhite && grown > 1 ? SIMD4<Float>(theme.quiet) : white
      inside.take { row, column, covered in pixels.blend(row, column, color, part: covered * Float(part)) }
    }
  }
}
