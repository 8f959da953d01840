import CanvasCRDT
import TerminalCanvas

/// Shapes that others move, in transition from where they were seen to where they are.
///
/// While somebody drags a shape, its place arrives many times a second, or a few times on a slow line. Each step is
/// stretched to the interval of the steps before it, so that the shape moves evenly. A single change is shown at once.
struct Glides {
  private struct Glide {
    let from: Outline
    let end: CanvasScene.Item
    let since: UInt64
    let milliseconds: Double

    func isOver(at now: UInt64) -> Bool { Double(now &- since) >= milliseconds }

    func item(at now: UInt64) -> CanvasScene.Item {
      guard !isOver(at: now) else { return end }
      let part = Double(now &- since) / milliseconds
      func between(_ from: Double, _ to: Double) -> Double { from + (to - from) * part }
      var item = end
      let to = end.outline
      item.outline.position = Point(
        x: between(from.position.x, to.position.x),
        y: between(from.position.y, to.position.y)
      )
      item.outline.size = Size(
        width: between(from.size.width, to.size.width),
        height: between(from.size.height, to.size.height)
      )
      // The shorter way around.
      let turn = (to.rotation - from.rotation).remainder(dividingBy: 360)
      item.outline.rotation = to.rotation - turn * (1 - part)
      return item
    }
  }

  private var glides: [Identifier: Glide] = [:]
  private var steps: [Identifier: Steps] = [:]
  /// With more shapes than this, old steps are dropped. Then the bound becomes twice the number that is left.
  private var stepsMax = Glides.stepsMaxLeast
  private static let stepsMaxLeast = 1_000

  var isEmpty: Bool { glides.isEmpty }

  /// Starts a glide to `end`. Returns how the shape is drawn now.
  ///
  /// - Parameter seen: how the shape was drawn until now. `nil` if it doesn't glide.
  mutating func take(
    _ end: CanvasScene.Item,
    of shape: Identifier,
    from seen: CanvasScene.Item?,
    at now: UInt64
  ) -> CanvasScene.Item {
    glides[shape] = nil
    guard let seen else { return end }
    guard let milliseconds = steps[shape, default: Steps()].take(at: now) else {
      forgetOldSteps(at: now)
      return end
    }
    guard seen.outline != end.outline, seen.outline.kind == end.outline.kind else { return end }
    let glide = Glide(from: seen.outline, end: end, since: now, milliseconds: milliseconds)
    glides[shape] = glide
    return glide.item(at: now)
  }

  private mutating func forgetOldSteps(at now: UInt64) {
    guard steps.count > stepsMax else { return }
    steps = steps.filter { $0.value.isRecent(at: now) }
    stepsMax = max(Glides.stepsMaxLeast, 2 * steps.count)
  }

  mutating func forget(_ shape: Identifier) {
    glides[shape] = nil
    steps[shape] = nil
  }

  /// The gliding shapes as they are drawn at that time. Those that have arrived are no longer gliding.
  mutating func advance(to now: UInt64) -> [(shape: Identifier, item: CanvasScene.Item)] {
    let seen = glides.map { ($0.key, $0.value.item(at: now)) }
    glides = glides.filter { !$0.value.isOver(at: now) }
    return seen
  }
}

/// How quickly steps follow each other. `web/drawing/motion.js` has the same rules for a page.
struct Steps {
  /// A change that comes later than this after the last one is not the next step of the same movement.
  private static let pauseMilliseconds = 1_000.0
  /// Steps that follow each other within this time are one movement, however few there are.
  private static let quickMilliseconds = 250.0
  private static let leastMilliseconds = 20.0
  /// A glide takes a little longer than the usual pause between steps, since some steps come late.
  private static let patience = 1.25

  private var toldAt: UInt64?
  /// The average interval of the newest steps.
  private var interval: Double?

  func isRecent(at now: UInt64) -> Bool { toldAt.map { Double(now &- $0) < Steps.pauseMilliseconds } ?? false }

  /// Takes in a change. Returns how long the glide to it takes; nil if the change is not a step of a movement.
  mutating func take(at now: UInt64) -> Double? {
    defer { toldAt = now }
    guard let toldAt, isRecent(at: now) else {
      interval = nil
      return nil
    }
    let passed = Double(now &- toldAt)
    // Two changes this far apart may be two separate acts. From the third on it is a movement over a slow line.
    let isMovement = passed < Steps.quickMilliseconds || interval != nil
    // Some steps come late, together with the next ones.
    let mean = interval.map { ($0 + passed) / 2 } ?? passed
    interval = mean
    return isMovement ? max(Steps.leastMilliseconds, Steps.patience * mean) : nil
  }
}
