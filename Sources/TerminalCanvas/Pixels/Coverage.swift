import CanvasCRDT

/// How much of each pixel a shape covers: the exact area of the added polygons within the pixel.
///
/// An edge covers everything to its right. In each row, it adds the covered part to the pixel that it crosses, and the
/// rest to the next pixel. A running sum along the row then gives the coverage. The cost is one step for each pixel on
/// an edge or within the polygons' bounds. Corners outside the grid cost nothing.
struct Coverage {
  let width: Int
  let height: Int

  /// The amounts that edges have added, row by row. Each row has two more entries than it has pixels.
  private var sums: [Float]
  private let stride: Int

  /// The rows and columns that have changed since the last `take`. Only their entries have to be read.
  private(set) var rows = 0..<0
  private(set) var columns = 0..<0

  /// How much work this coverage has done, in units of one computed pixel.
  private(set) var work = 0
  /// The work for a corner, in units of one computed pixel. An edge costs `pixelsPerRow` in each row that it crosses.
  static let pixelsPerCorner = 30
  private static let pixelsPerRow = 6

  init(width: Int, height: Int) {
    self.width = width
    self.height = height
    stride = width + 2
    sums = Array(repeating: 0, count: stride * height)
  }

  var isEmpty: Bool { rows.isEmpty || columns.isEmpty }

  // MARK: - Adding

  /// Adds a polygon, in pixels. If all polygons go around in the same direction, overlapping polygons together cover at
  /// most the whole of a pixel.
  mutating func add(_ polygon: [Point]) {
    work += Coverage.pixelsPerCorner * polygon.count
    guard polygon.count > 2, var from = polygon.last else { return }
    var top = Double.infinity
    var bottom = -Double.infinity
    var left = Double.infinity
    var right = -Double.infinity
    for corner in polygon {
      guard corner.x.isFinite, corner.y.isFinite else { return }
      top = min(top, corner.y)
      bottom = max(bottom, corner.y)
      left = min(left, corner.x)
      right = max(right, corner.x)
    }
    guard bottom > 0, top < Double(height), right > 0, left < Double(width) else { return }
    touch(
      rows: Int(max(top, 0))..<min(height, Int(min(bottom, Double(height)).rounded(.up))),
      // One more column on both sides, because rounding can move an edge past the bounds.
      columns: max(0, Int(max(left, 0)) - 1)..<min(width, Int(min(right, Double(width)).rounded(.up)) + 1)
    )
    for to in polygon {
      addEdge(from, to)
      from = to
    }
  }

  private mutating func touch(rows: Range<Int>, columns: Range<Int>) {
    if isEmpty {
      self.rows = rows
      self.columns = columns
    } else {
      self.rows = min(self.rows.lowerBound, rows.lowerBound)..<max(self.rows.upperBound, rows.upperBound)
      self.columns =
        min(self.columns.lowerBound, columns.lowerBound)..<max(self.columns.upperBound, columns.upperBound)
    }
  }

  /// Adds an edge. Parts beyond the left or right side of the grid are moved onto that side.
  private mutating func addEdge(_ from: Point, _ to: Point) {
    guard from.y != to.y else { return }
    let direction: Double = from.y < to.y ? 1 : -1
    let upper = from.y < to.y ? from : to
    let lower = from.y < to.y ? to : from
    let slope = (lower.x - upper.x) / (lower.y - upper.y)
    let top = max(upper.y, 0)
    let bottom = min(lower.y, Double(height))
    guard top < bottom else { return }
    // Where the edge crosses the left and right sides of the grid, in order along the edge.
    let limit = Double(width)
    var first = bottom
    var second = bottom
    if slope != 0 {
      let atLeft = upper.y + (0 - upper.x) / slope
      let atRight = upper.y + (limit - upper.x) / slope
      first = min(max(min(atLeft, atRight), top), bottom)
      second = min(max(max(atLeft, atRight), top), bottom)
    }
    func x(at y: Double) -> Double { min(max(upper.x + (y - upper.y) * slope, 0), limit) }
    if first > top { addInside(Point(x: x(at: top), y: top), Point(x: x(at: first), y: first), direction) }
    if second > first { addInside(Point(x: x(at: first), y: first), Point(x: x(at: second), y: second), direction) }
    if bottom > second { addInside(Point(x: x(at: second), y: second), Point(x: x(at: bottom), y: bottom), direction) }
  }

  /// Adds a piece of an edge that goes downwards within the grid.
  private mutating func addInside(_ from: Point, _ to: Point, _ direction: Double) {
    work += Coverage.pixelsPerRow * (Int(to.y) - Int(from.y) + 1)
    let slope = (to.x - from.x) / (to.y - from.y)
    var x = from.x
    var y = from.y
    var row = min(Int(from.y), height - 1)
    while y < to.y, row < height {
      let end = min(Double(row + 1), to.y)
      let next = end == to.y ? to.x : x + slope * (end - y)
      addInRow(row, x, min(max(next, 0), Double(width)), direction * (end - y))
      x = min(max(next, 0), Double(width))
      y = end
      row += 1
    }
  }

  /// Adds the part of an edge that lies within a row: from one x to another. `height` is the part's height, as a
  /// fraction of the row's.
  private mutating func addInRow(_ row: Int, _ from: Double, _ to: Double, _ height: Double) {
    let left = min(from, to)
    let right = max(from, to)
    let firstColumn = Int(left)
    let start = row * stride + firstColumn
    let lastColumn = Int(right.rounded(.up))
    if lastColumn <= firstColumn + 1 {
      // The edge stays within one pixel, so the area is a trapezoid.
      let covered = height * ((from + to) / 2 - Double(firstColumn))
      sums[start] += Float(height - covered)
      sums[start + 1] += Float(covered)
      return
    }
    // The edge crosses several pixels: the area is a triangle in the first and the last pixel, and a trapezoid in each
    // pixel between.
    let step = 1 / (right - left)
    let before = left - Double(firstColumn)
    let first = 0.5 * step * (1 - before) * (1 - before)
    let beyond = right - Double(lastColumn) + 1
    let last = 0.5 * step * beyond * beyond
    sums[start] += Float(height * first)
    let between = lastColumn - firstColumn
    if between == 2 {
      sums[start + 1] += Float(height * (1 - first - last))
    } else {
      let second = step * (1.5 - before)
      sums[start + 1] += Float(height * (second - first))
      for offset in 2..<(between - 1) { sums[start + offset] += Float(height * step) }
      let beforeLast = second + Double(between - 3) * step
      sums[start + between - 1] += Float(height * (1 - beforeLast - last))
    }
    sums[start + between] += Float(height * last)
  }

  // MARK: - Taking

  /// Calls `body` with every covered pixel and its covered fraction. Afterwards the coverage is empty.
  mutating func take(_ body: (_ row: Int, _ column: Int, _ part: Float) -> Void) {
    work += rows.count * columns.count
    for row in rows {
      var sum: Float = 0
      let start = row * stride
      for column in columns {
        sum += sums[start + column]
        sums[start + column] = 0
        let part = min(sum.magnitude, 1)
        // Smaller fractions are rounding errors of amounts that should cancel out.
        if part > 0.002 { body(row, column, part) }
      }
      // The entry after the last column is never read, so it only has to be cleared.
      sums[start + columns.upperBound] = 0
      if columns.upperBound + 1 < stride { sums[start + columns.upperBound + 1] = 0 }
    }
    rows = 0..<0
    columns = 0..<0
  }

  /// Like `take`, but for two coverages of the same grid: one of a shape's inside, and one of its stroke.
  static func take(
    _ one: inout Coverage,
    _ other: inout Coverage,
    _ body: (_ row: Int, _ column: Int, _ one: Float, _ other: Float) -> Void
  ) {
    if one.isEmpty {
      other.take { row, column, part in body(row, column, 0, part) }
      return
    }
    one.touch(rows: other.isEmpty ? one.rows : other.rows, columns: other.isEmpty ? one.columns : other.columns)
    one.work += 2 * one.rows.count * one.columns.count
    for row in one.rows {
      var sum: Float = 0
      var otherSum: Float = 0
      let start = row * one.stride
      for column in one.columns {
        sum += one.sums[start + column]
        otherSum += other.sums[start + column]
        one.sums[start + column] = 0
        other.sums[start + column] = 0
        let part = min(sum.magnitude, 1)
        let otherPart = min(otherSum.magnitude, 1)
        if part > 0.002 || otherPart > 0.002 { body(row, column, part, otherPart) }
      }
      for column in one.columns.upperBound..<min(one.columns.upperBound + 2, one.stride) {
        one.sums[start + column] = 0
        other.sums[start + column] = 0
      }
    }
    one.rows = 0..<0
    one.columns = 0..<0
    other.rows = 0..<0
    other.columns = 0..<0
  }
}
