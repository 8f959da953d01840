import CanvasCRDT

/// Which part of the canvas a rectangle of cells shows, and at which scale.
public struct CanvasView: Equatable, Sendable {
  /// The canvas point at the view's top left corner.
  public var origin: Point
  /// The number of columns per unit of the canvas.
  public private(set) var scale: Double
  public var columns: Int
  public var rows: Int
  /// A cell's height divided by its width.
  public let aspect: Double

  /// How many units a column shows at 100 %. A column counts as eight pixels on the page.
  public static let unitsPerColumn = 8.0

  public static let scales = 0.000_001...4.0

  /// The plausible ratios of a cell's height to its width. If a terminal reports another ratio, 2 is used instead.
  private static let aspects = 1.4...3.0

  public init(columns: Int, rows: Int, aspect: Double = 2) {
    self.columns = max(columns, 1)
    self.rows = max(rows, 1)
    self.aspect = CanvasView.aspects.contains(aspect) ? aspect : 2
    origin = Point(x: 0, y: 0)
    scale = 1 / CanvasView.unitsPerColumn
  }

  public var percent: Int { Int((scale * CanvasView.unitsPerColumn * 100).rounded()) }

  /// The number of rows per unit of the canvas.
  public var rowScale: Double { scale / aspect }

  // MARK: - Conversion

  /// The position of a canvas point in the view, in cells and fractions of cells.
  public func cell(of point: Point) -> Point {
    Point(x: (point.x - origin.x) * scale, y: (point.y - origin.y) * rowScale)
  }

  public func point(atColumn column: Double, row: Double) -> Point {
    Point(x: origin.x + column / scale, y: origin.y + row / rowScale)
  }

  /// The canvas point in the middle of a cell.
  public func point(inColumn column: Int, row: Int) -> Point {
    point(atColumn: Double(column) + 0.5, row: Double(row) + 0.5)
  }

  public var visibleBox: Rect {
    Rect(origin: origin, size: Size(width: Double(columns) / scale, height: Double(rows) / rowScale))
  }

  public var center: Point { visibleBox.center }

  // MARK: - Moving the view

  public mutating func pan(columns: Double, rows: Double) {
    move(to: Point(x: origin.x + columns / scale, y: origin.y + rows / rowScale))
  }

  public mutating func show(center: Point) {
    let box = visibleBox
    move(to: Point(x: center.x - box.size.width / 2, y: center.y - box.size.height / 2))
  }

  /// Zooms. The canvas point under the given cell stays under it.
  public mutating func zoom(by factor: Double, atColumn column: Double, row: Double) {
    let fixed = point(atColumn: column, row: row)
    scale = min(max(scale * factor, CanvasView.scales.lowerBound), CanvasView.scales.upperBound)
    move(to: Point(x: fixed.x - column / scale, y: fixed.y - row / rowScale))
  }

  public mutating func zoom(by factor: Double) {
    zoom(by: factor, atColumn: Double(columns) / 2, row: Double(rows) / 2)
  }

  public mutating func zoom(toPercent percent: Double) {
    zoom(by: percent / 100 / (scale * CanvasView.unitsPerColumn))
  }

  /// Zooms and moves the view so that it shows a whole rectangle, with some margin.
  public mutating func fit(_ box: Rect, scaleMax: Double = 0.5) {
    let room = 0.9
    let across = Double(columns) * room / max(box.size.width, 1)
    let down = Double(rows) * aspect * room / max(box.size.height, 1)
    scale = min(max(min(across, down, scaleMax), CanvasView.scales.lowerBound), CanvasView.scales.upperBound)
    show(center: box.center)
  }

  /// Changes the view's size. The canvas point in the middle stays in the middle.
  public mutating func resize(columns: Int, rows: Int) {
    let center = center
    self.columns = max(columns, 1)
    self.rows = max(rows, 1)
    show(center: center)
  }

  /// Moves the view. It stops at the edge of the canvas, beyond which there is nothing to show.
  private mutating func move(to place: Point) {
    let limit = 2e7
    origin = Point(x: min(max(place.x, -limit), limit), y: min(max(place.y, -limit), limit))
  }
}
