import CanvasCRDT
import TerminalCanvas

/// Shapes that are being swallowed by the black hole. They are no longer on the canvas, but are shown for a moment
/// longer.
struct Departures {
  private struct Departure {
    let item: CanvasScene.Item
    let target: Point
    let since: UInt64
  }

  /// How long a shape takes to disappear. The page takes the same time.
  private static let milliseconds = 350.0

  private var departures: [Departure] = []

  var isEmpty: Bool { departures.isEmpty }

  /// - Parameter box: where the shape ends and how large it is there, as its deletion says.
  mutating func add(_ item: CanvasScene.Item, to box: Rect, at now: UInt64) {
    departures.append(Departure(item: item, target: box.center, since: now))
  }

  /// The shapes at their present places. A shape that has arrived in the hole is dropped.
  mutating func items(at now: UInt64) -> [CanvasScene.Item] {
    departures.removeAll { Double(now &- $0.since) >= Departures.milliseconds }
    return departures.map { departure in
      let part = Double(now &- departure.since) / Departures.milliseconds
      // Shapes start slowly, like something heavy that is pulled in, and slow down at the end.
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

  /// A point on an arc whose height is a quarter of its length.
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
