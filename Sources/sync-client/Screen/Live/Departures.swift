import CanvasCRDT
import TerminalCanvas

/// The shapes that the black hole is swallowing. They are deleted, but drawn for a moment longer.
struct Departures {
  private struct Departure {
    let item: CanvasScene.Item
    let target: Point
    let since: UInt64
  }

  /// How long the animation takes. The page's animation takes the same time.
  private static let milliseconds = 350.0

  private var departures: [Departure] = []

  var isEmpty: Bool { departures.isEmpty }

  /// - Parameter box: the position and size that the deleted shape has at the end of its way into the hole. The
  ///   operation that deletes the shape contains both.
  mutating func add(_ item: CanvasScene.Item, to box: Rect, at now: UInt64) {
    departures.append(Departure(item: item, target: box.center, since: now))
  }

  /// The shapes where they are now. Those that have arrived in the hole are dropped.
  mutating func items(at now: UInt64) -> [CanvasScene.Item] {
    departures.removeAll { Double(now &- $0.since) >= Departures.milliseconds }
    return departures.map { departure in
      let part = Double(now &- departure.since) / Departures.milliseconds
      // The movement starts slowly and ends slowly.
      let eased = part * part * (3 - 2 * part)
      var item = departure.item
      let size = item.outline.size
      let start = Point(x: item.outline.position.x + size.width / 2, y: item.outline.position.y + size.height / 2)
      let place = Departures.curve(from: start, to: departure.target, part: eased)
      item.grow(by: max(1 - eased, 0.01))
      item.outline.position.x += place.x - start.x
      item.outline.position.y += place.y - start.y
      item.outline.rotation += 120 * eased
      item.strokeWidth *= 1 - eased
      return item
    }
  }

  /// A point on a curve whose control point lies beside the middle of the straight path, at a quarter of its length.
  private static func curve(from start: Point, to end: Point, part: Double) -> Point {
    let x = end.x - start.x
    let y = end.y - start.y
    let bow = Point(x: start.x + x / 2 + y / 4, y: start.y + y / 2 - x / 4)
    let rest = 1 - part
    return Point(
      x: rest * rest * start.x + 2 * rest * part * bow.x + part * part * end.x,
      y: rest * rest * start.y + 2 * rest * part * bow.y + part * part * end.y
    )
  }
}
