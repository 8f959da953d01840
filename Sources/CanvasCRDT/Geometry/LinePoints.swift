// The points of a line or a stroke of ink on the canvas, and the ends of a line that are tied to shapes (S14).

extension Shape {
  /// The points of the line's path on the canvas. A line without a path goes from one corner of its box to the opposite
  /// corner.
  public var pathPoints: [Point] { pathShares.map(point(atShare:)) }

  /// The points of the line's path, as fractions of the sides of its box.
  var pathShares: [Point] {
    let shares = properties.path.points.map { $0.place.share }
    return shares.isEmpty ? [Point(x: 0, y: 0), Point(x: 1, y: 1)] : shares
  }

  /// Converts a place in the shape's box to a point on the canvas.
  public func point(of place: BoxPlace) -> Point { point(atShare: place.share) }

  /// - Parameter share: fractions of the box's sides, measured from its top left corner.
  func point(atShare share: Point) -> Point {
    let size = properties.size
    let center = Rect(origin: properties.position, size: size).center
    let turned = Direction(degrees: properties.rotation).turning(
      (share.x - 0.5) * size.width,
      (share.y - 0.5) * size.height
    )
    return Point(x: center.x + turned.x, y: center.y + turned.y)
  }

  /// Converts a point on the canvas to the nearest place in the shape's box.
  public func place(of point: Point) -> BoxPlace {
    let size = properties.size
    let center = Rect(origin: properties.position, size: size).center
    let seen = Direction(degrees: properties.rotation).turningBack(point.x - center.x, point.y - center.y)
    return BoxPlace(shareX: seen.x / size.width + 0.5, shareY: seen.y / size.height + 0.5)
  }

  /// Whether the shape is a line that can be drawn elsewhere than its own box and path say: with a tied end, or with
  /// elbows.
  var findsItsPlace: Bool {
    properties.kind == .line && (properties.from != nil || properties.to != nil || properties.route == .elbow)
  }

  /// The shape as it is drawn. If it is a line with a tied end, that end lies at the shape that it is tied to. If that
  /// shape doesn't exist any more, the end lies where the line's own path ends. An elbow line leads through its turns.
  public func drawn(_ find: (Identifier) -> Shape?) -> Shape {
    guard findsItsPlace else { return self }
    let from = properties.from.flatMap { tie in tie.target(find) }
    let to = properties.to.flatMap { tie in tie.target(find) }
    guard from != nil || to != nil || properties.route == .elbow else { return self }
    var points = pathPoints
    let last = points.count - 1
    if properties.route == .elbow {
      return led(
        through: ElbowRoute(
          from: properties.from.end(on: from, else: points[0]),
          to: properties.to.end(on: to, else: points[last]),
          strokeWidth: properties.strokeWidth
        ).points
      )
    }
    if let from, let place = properties.from?.place { points[0] = from.point(of: place) }
    if let to, let place = properties.to?.place { points[last] = to.point(of: place) }
    // The points next to the two ends, read before the ends are cut at outlines. In a line of two points, each end is
    // the other's neighbour.
    let (next, before) = (points[1], points[last - 1])
    if let from, properties.from?.place == .middle { points[0] = from.entry(from: next) ?? points[0] }
    if let to, properties.to?.place == .middle { points[last] = to.entry(from: before) ?? points[last] }
    return led(through: points)
  }

  private func led(through points: [Point]) -> Shape {
    var values = properties
    values.lead(through: points)
    return Shape(id: id, properties: values, nameStamp: nameStamp)
  }

  /// The line without its ties, except ties to shapes for which `kept` is true. An end that loses its tie stays where
  /// it is drawn. A line that is drawn larger than a shape may be, or outside of the plane, keeps its own points.
  public func untied(butFrom kept: (Identifier) -> Bool, _ find: (Identifier) -> Shape?) -> Shape {
    let losesFrom = properties.from.map { !kept($0.shape) } ?? false
    let losesTo = properties.to.map { !kept($0.shape) } ?? false
    guard properties.kind == .line, losesFrom || losesTo else { return self }
    let drawn = drawn(find).properties
    var values = (try? drawn.check()) == nil ? properties : drawn
    if losesFrom { values.from = nil }
    if losesTo { values.to = nil }
    return Shape(id: id, properties: values, nameStamp: nameStamp)
  }
}

extension Tie {
  /// The shape that the end is tied to. `nil` if that shape doesn't exist, or if it is itself a line, because lines
  /// could then be tied to each other in a circle.
  fileprivate func target(_ find: (Identifier) -> Shape?) -> Shape? {
    find(shape).flatMap { $0.properties.kind.isStroke ? nil : $0 }
  }
}

extension Tie? {
  /// The end of an elbow line with this tie.
  fileprivate func end(on shape: Shape?, else point: Point) -> ElbowRoute.End {
    guard let self, let shape else { return .free(point) }
    return self.place == .middle ? .anywhere(on: shape) : .placed(shape.point(of: self.place), on: shape)
  }
}

extension BoxPlace {
  /// The middle of the box. A line whose end is tied here stops at the shape's outline, on its way to the middle.
  public static var middle: BoxPlace { BoxPlace(x: 32_768, y: 32_768) }

  /// The place at these fractions of the box's width and height. Fractions outside 0…1 are clamped.
  public init(shareX x: Double, shareY y: Double) {
    self.init(x: BoxPlace.along(x), y: BoxPlace.along(y))
  }

  private static func along(_ share: Double) -> UInt16 {
    // With the arguments in this order, NaN becomes 0.
    UInt16((Swift.max(0, Swift.min(share, 1)) * Double(end)).rounded())
  }
}

extension Properties {
  /// Sets the path to one that leads through these points, and the box to the points' bounding box. If the number of
  /// points stays the same, each point keeps its width.
  public mutating func lead(through points: [Point]) {
    var box = Box.empty
    for point in points { box.extend(to: point) }
    let size = Size(width: Swift.max(box.maxX - box.minX, 1), height: Swift.max(box.maxY - box.minY, 1))
    let before = path.points
    var led: [Path.Point] = []
    led.reserveCapacity(points.count)
    for (index, point) in points.enumerated() {
      let place = BoxPlace(shareX: (point.x - box.minX) / size.width, shareY: (point.y - box.minY) / size.height)
      led.append(Path.Point(place, width: before.count == points.count ? before[index].width : Path.evenWidth))
    }
    guard let path = Path(led) else { return }
    position = Point(x: box.minX, y: box.minY)
    self.size = size
    self.path = path
    if rotation != 0 { rotation = 0 }
  }
}

/// The lines that are tied to each shape, as a table. These lines move together with the shape.
public struct TiedLines: Sendable {
  private var lines = IdentifierMap<IdentifierSet>()
  private var shapes = IdentifierMap<[Identifier]>()

  public init() {}

  /// Updates the table when a line, or any other shape, has changed. `nil` means that the shape was deleted.
  public mutating func update(_ line: Identifier, to shape: Shape?) {
    var tied: [Identifier] = []
    if let properties = shape?.properties, properties.kind == .line {
      for tie in [properties.from, properties.to] {
        if let shape = tie?.shape, !tied.contains(shape) { tied.append(shape) }
      }
    }
    let before = shapes[line] ?? []
    guard tied != before else { return }
    for shape in before {
      lines[shape, default: IdentifierSet()].remove(line)
      if lines[shape]?.isEmpty == true { lines[shape] = nil }
    }
    for shape in tied { lines[shape, default: IdentifierSet()].insert(line) }
    shapes[line] = tied.isEmpty ? nil : tied
  }

  public func lines(of shape: Identifier) -> [Identifier] { lines[shape]?.members ?? [] }
}
