import CanvasCRDT
import TerminalCanvas

/// Animates shapes that other people move.
///
/// While somebody drags a shape, new positions arrive several times a second. The shape glides to each of them. The
/// glide takes as long as the usual interval between two positions, so that the shape moves evenly. A single change is
/// shown at once.
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
      // The shape turns the shorter way.
      let turn = (to.rotation - from.rotation).remainder(dividingBy: 360)
      item.outline.rotation = to.rotation - turn * (1 - part)
      return item
    }
  }

  private var glides: [Identifier: Glide] = [:]
  private var steps: [Identifier: Steps] = [:]
  /// The upper bound on the entries of `steps`. If there are more, the oldest entries are dropped. The bound is then
  /// set to twice the number of the remaining entries.
  private var stepsMax = Glides.stepsMaxLeast
  private static let stepsMaxLeast = 1_000

  var isEmpty: Bool { glides.isEmpty }

  /// Starts a glide to `end`. Returns how to draw the shape now.
  ///
  /// - Parameter seen: how the shape was drawn until now. `nil` if it must not glide.
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

  /// The gliding shapes as they are drawn at the given time. A shape that has just arrived is included one last time.
  mutating func advance(to now: UInt64) -> [(shape: Identifier, item: CanvasScene.Item)] {
    let seen = glides.map { ($0.key, $0.value.item(at: now)) }
    glides = glides.filter { !$0.value.isOver(at: now) }
    return seen
  }
}

/// Measures how quickly the steps of a movement follow each other. `web/canvas/motion.ts` has the same rules for the
/// page.
struct Steps {
  /// A change after a longer pause than this begins a new movement.
  private static let pauseMilliseconds = 1_000.0
  /// Two changes within this time already count as a movement.
  private static let quickMilliseconds = 250.0
  private static let leastMilliseconds = 20.0
  /// A glide takes this many times the usual interval, so that it is still going on when the next step comes late.
  private static let patience = 1.25

  private var toldAt: UInt64?
  /// The average interval between recent steps.
  private var interval: Double?

  func isRecent(at now: UInt64) -> Bool { toldAt.map { Double(now &- $0) < Steps.pauseMilliseconds } ?? false }

  /// Must be called at each change. Returns the duration of the glide, or `nil` if the change isn't part of a movement.
  mutating func take(at now: UInt64) -> Double? {
    defer { toldAt = now }
    guard let toldAt, isRecent(at: now) else {
      interval = nil
      return nil
    }
    let passed = Double(now &- toldAt)
    // Two changes that are further apart than `quickMilliseconds` might be independent. A third one makes them a
    // movement over a slow connection.
    let isMovement = passed < Steps.quickMilliseconds || interval != nil
    // The mean of two intervals is used, because a late step arrives together with the next one.
    let mean = interval.map { ($0 + passed) / 2 } ?? passed
    interval = mean
    return isMovement ? max(Steps.leastMilliseconds, Steps.patience * mean) : nil
  }
}
