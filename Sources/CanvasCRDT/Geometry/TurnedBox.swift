/// A rotated bounding box, around a shape or around all shapes of a branch of a `BoxTree`.
///
/// The upright bounding box of a thin slanted shape is mostly empty. Ten thousand parallel bars at 45° can all lie in
/// each other's upright boxes without touching. A rotated box is as thin as the bar.
///
/// The axis is rounded to `Float`, so its length is not always exactly one. All distances are measured along the
/// rounded axis, so a gap along it is a real gap. The ends are rounded outwards.
struct TurnedBox {
  var axisX: Float
  var axisY: Float
  var minAlong: Float
  var maxAlong: Float
  var minAcross: Float
  var maxAcross: Float

  /// Means that there is no turned box, because it would not be much thinner than the upright box.
  static var none: TurnedBox {
    TurnedBox(axisX: 0, axisY: 0, minAlong: 0, maxAlong: 0, minAcross: 0, maxAcross: 0)
  }

  @inline(__always) var isNone: Bool { axisX == 0 && axisY == 0 }

  /// How large a turned box may be, as a fraction of the upright box. A test of a larger turned box rules out too few
  /// pairs.
  private static let partMax = 0.6

  fileprivate var axis: Point { Point(x: Double(axisX), y: Double(axisY)) }
}

/// A rotated shape that is searched for in a `BoxTree`: its upright bounding box, and its box in its own coordinates.
struct TurnedExtent {
  let box: Box
  let center: Point
  let reach: Size
  let direction: Direction
  /// Whether the turned box is much smaller than the upright box. If it isn't, testing the turned box rules out few
  /// additional pairs.
  let isSlanted: Bool

  /// `isSlanted` is true if the upright box has at least this many times the area of the turned box.
  private static let slant = 4.0

  init(_ placed: PlacedOutline) {
    box = placed.box
    center = placed.center
    reach = Size(width: placed.outline.size.width / 2, height: placed.outline.size.height / 2)
    direction = placed.direction
    let upright = (box.maxX - box.minX) * (box.maxY - box.minY)
    isSlanted = 4 * reach.width * reach.height * TurnedExtent.slant < upright
  }

  /// Half of the extent's length along an axis, multiplied by the length of the axis vector.
  @inline(__always)
  fileprivate func reach(along axis: Point) -> Double {
    let along = (direction.cosine * axis.x + direction.sine * axis.y).magnitude
    let across = (direction.cosine * axis.y - direction.sine * axis.x).magnitude
    return reach.width * along + reach.height * across
  }

  /// Whether the extent can touch a turned box, judged only by the directions of the turned box's sides.
  @inline(__always)
  func mayTouch(_ other: TurnedBox) -> Bool {
    let along = other.axis
    let middle = center.x * along.x + center.y * along.y
    let far = reach(along: along)
    if middle - far > Double(other.maxAlong) || middle + far < Double(other.minAlong) { return false }
    let across = Point(x: 0 - along.y, y: along.x)
    let middleAcross = center.x * across.x + center.y * across.y
    let farAcross = reach(along: across)
    return middleAcross - farAcross <= Double(other.maxAcross) && middleAcross + farAcross >= Double(other.minAcross)
  }

  /// Whether the extent can touch an upright box, judged only by the directions of the extent's own sides.
  @inline(__always)
  func mayTouch(minX: Double, minY: Double, maxX: Double, maxY: Double) -> Bool {
    let apart = direction.turningBack((minX + maxX) / 2 - center.x, (minY + maxY) / 2 - center.y)
    let halfWidth = (maxX - minX) / 2
    let halfHeight = (maxY - minY) / 2
    let cosine = direction.cosine.magnitude
    let sine = direction.sine.magnitude
    return apart.x.magnitude <= reach.width + halfWidth * cosine + halfHeight * sine
      && apart.y.magnitude <= reach.height + halfWidth * sine + halfHeight * cosine
  }
}

extension TurnedBox {
  /// The turned box around a shape. `none` if it would not be much smaller than the shape's upright box.
  init(_ extent: TurnedExtent) {
    guard extent.isSlanted else {
      self = .none
      return
    }
    let x = Float(extent.direction.cosine)
    let y = Float(extent.direction.sine)
    self.init(axisX: x, axisY: y, minAlong: 0, maxAlong: 0, minAcross: 0, maxAcross: 0)
    let along = axis
    let across = Point(x: 0 - along.y, y: along.x)
    let middle = extent.center.x * along.x + extent.center.y * along.y
    let middleAcross = extent.center.x * across.x + extent.center.y * across.y
    let far = extent.reach(along: along)
    let farAcross = extent.reach(along: across)
    minAlong = Float(below: middle - far)
    maxAlong = Float(above: middle + far)
    minAcross = Float(below: middleAcross - farAcross)
    maxAcross = Float(above: middleAcross + farAcross)
  }

  /// The turned box around two children, with the axis of the longer child. `none` if it is not much smaller than the
  /// upright box around both.
  init(around first: TurnedBox, _ firstUpright: Box, _ second: TurnedBox, _ secondUpright: Box, upright: Box) {
    let isFirst = first.length >= second.length
    let frame = isFirst ? first : second
    let other = isFirst ? second : first
    guard !frame.isNone else {
      self = .none
      return
    }
    let axis = frame.axis
    let square = axis.x * axis.x + axis.y * axis.y
    let along = other.range(along: axis, upright: isFirst ? secondUpright : firstUpright)
    let across = other.range(along: Point(x: 0 - axis.y, y: axis.x), upright: isFirst ? secondUpright : firstUpright)
    self = frame
    minAlong = Swift.min(minAlong, Float(below: along.min))
    maxAlong = Swift.max(maxAlong, Float(above: along.max))
    minAcross = Swift.min(minAcross, Float(below: across.min))
    maxAcross = Swift.max(maxAcross, Float(above: across.max))
    let area = Double(maxAlong - minAlong) * Double(maxAcross - minAcross) / square
    let uprightArea = (upright.maxX - upright.minX) * (upright.maxY - upright.minY)
    if area > uprightArea * TurnedBox.partMax { self = .none }
  }

  private var length: Float { Swift.max(maxAlong - minAlong, maxAcross - minAcross) }

  /// The range that this box covers along an axis. If this box is `none`, the upright box counts instead.
  private func range(along axis: Point, upright: Box) -> (min: Double, max: Double) {
    if isNone {
      let x = Swift.min(upright.minX * axis.x, upright.maxX * axis.x)
      let y = Swift.min(upright.minY * axis.y, upright.maxY * axis.y)
      let farX = Swift.max(upright.minX * axis.x, upright.maxX * axis.x)
      let farY = Swift.max(upright.minY * axis.y, upright.maxY * axis.y)
      return (x + y, farX + farY)
    }
    let own = self.axis
    if own.x == axis.x, own.y == axis.y { return (Double(minAlong), Double(maxAlong)) }
    if own.x == axis.y, 0 - own.y == axis.x { return (Double(minAcross), Double(maxAcross)) }
    // A corner is the sum of two vectors: a multiple of the axis, and a multiple of the perpendicular axis. Both
    // multiples are divided by the square of the axis's length, because the length is not always one.
    let square = own.x * own.x + own.y * own.y
    let forAlong = (own.x * axis.x + own.y * axis.y) / square
    let forAcross = (own.x * axis.y - own.y * axis.x) / square
    let low = Double(minAlong) * forAlong
    let high = Double(maxAlong) * forAlong
    let lowAcross = Double(minAcross) * forAcross
    let highAcross = Double(maxAcross) * forAcross
    return (
      Swift.min(low, high) + Swift.min(lowAcross, highAcross), Swift.max(low, high) + Swift.max(lowAcross, highAcross)
    )
  }
}

extension Float {
  init(below value: Double) {
    let nearest = Float(value)
    self = Double(nearest) > value ? nearest.nextDown : nearest
  }

  init(above value: Double) {
    let nearest = Float(value)
    self = Double(nearest) < value ? nearest.nextUp : nearest
  }
}
