import CanvasCRDT
import TerminalCanvas
import Testing

@testable import sync_client

/// A drawing with one shape that another person moves. A simulated clock decides where the shape appears.
private struct Seen {
  static let shape = Identifier(packed: 1)!
  var canvas = Canvas()
  var drawing = LiveDrawing()
  var now: UInt64 = 50_000
  private var written: UInt64 = 0

  init() { write(0) { $0.kind = .rectangle } }

  var x: Double { drawing.items[Seen.shape]!.outline.position.x }

  mutating func write(_ x: Double, glides: Bool = true, _ more: (inout Properties) -> Void = { _ in }) {
    var set = Properties()
    set.position = Point(x: x, y: 0)
    more(&set)
    written += 1
    let stamp = Stamp(milliseconds: written, counter: 0, actor: Seen.shape)!
    let change = canvas.apply(Operation(shape: Seen.shape, at: stamp, set: set))
    _ = drawing.follow(change, in: canvas, glidingAt: glides ? now : nil)
  }

  /// The x-coordinates at which the shape appears, frame by frame.
  mutating func run(milliseconds: UInt64) -> [Double] {
    (0..<milliseconds / 10).map { _ in
      now += 10
      drawing.advance(to: now)
      return x
    }
  }
}

@Suite struct GlidesTests {
  @Test(arguments: [50, 100, 400] as [UInt64])
  func `A shape that somebody drags moves evenly, however often they tell of it`(interval: UInt64) {
    var seen = Seen()
    var frames: [Double] = []
    for step in 1...20 {
      seen.write(Double(step) * 100)
      frames += seen.run(milliseconds: interval)
    }
    // Leaves out the first quarter, because the client first has to learn the interval between steps.
    let moving = frames.dropFirst(frames.count / 4)
    let even = 100 / Double(interval) * 10
    let ways = zip(moving, moving.dropFirst()).map { $1 - $0 }
    #expect(ways.min()! > even / 2 && ways.max()! < 2 * even)
    _ = seen.run(milliseconds: 2 * interval)
    #expect(seen.x == 2_000 && !seen.drawing.moves)
  }

  @Test func `What is changed once is there at once`() {
    var seen = Seen()
    _ = seen.run(milliseconds: 3_000)
    seen.write(300)
    #expect(seen.x == 300 && !seen.drawing.moves)
    // Two changes don't make the shape glide yet, because they might be two separate actions.
    _ = seen.run(milliseconds: 500)
    seen.write(600)
    #expect(seen.x == 600)
    _ = seen.run(milliseconds: 500)
    seen.write(900)
    #expect(seen.x == 600 && seen.drawing.moves)
  }

  @Test func `One's own change ends what others' began, and a shape that goes is not waited for`() {
    var seen = Seen()
    for step in 1...4 {
      seen.write(Double(step) * 100)
      _ = seen.run(milliseconds: 50)
    }
    #expect(seen.drawing.moves)
    seen.write(70, glides: false)
    #expect(seen.x == 70 && !seen.drawing.moves)
    for step in 1...4 {
      seen.write(Double(step) * 100)
      _ = seen.run(milliseconds: 50)
    }
    seen.write(0) { $0.delete() }
    #expect(seen.drawing.items.isEmpty && !seen.drawing.moves)
  }

  @Test func `A shape turns the shorter way round`() {
    var seen = Seen()
    for degrees in [340.0, 345, 350, 355, 5] {
      seen.write(0) { $0.rotation = degrees }
      _ = seen.run(milliseconds: 100)
    }
    seen.write(0) { $0.rotation = 15 }
    _ = seen.run(milliseconds: 50)
    let rotation = seen.drawing.items[Seen.shape]!.outline.rotation
    #expect(rotation > 5 && rotation < 15)
  }
}
