import CanvasCRDT
import TerminalCanvas
import TestSupport
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

  @Test func `A line that is tied to a shape glides with it`() throws {
    let line = Identifier(packed: 2)!
    var seen = Seen()
    let set = Properties {
      ($0.kind, $0.from) = (.line, Tie(shape: Seen.shape, place: .middle))
      $0.lead(through: [Point(x: 50, y: 50), Point(x: 50, y: 900)])
    }
    let stamp = Stamp(milliseconds: 1, counter: 0, actor: line)!
    let made = seen.canvas.apply(Operation(shape: line, at: stamp, set: set))
    _ = seen.drawing.follow(made, in: seen.canvas)
    for step in 1...4 {
      _ = seen.run(milliseconds: 50)
      seen.write(Double(step) * 100)
      _ = seen.drawing.moveTiedLines(in: seen.canvas)
    }
    let end = try #require(LiveDrawing(seen.canvas).items[line]?.outline)
    #expect(seen.drawing.items[line].map { $0.outline != end } == true)
    _ = seen.run(milliseconds: 200)
    #expect(seen.drawing.items[line]?.outline == end)
  }

  @Test func `A glide takes a quarter longer than the steps of its movement follow each other`() {
    for (times, milliseconds) in [
      ([0], [nil]), ([0, 249], [nil, 311.25]), ([0, 250, 500], [nil, nil, 312.5]), ([0, 5], [nil, 20]),
      ([0, 100, 300], [nil, 125, 187.5]), ([0, 100, 1_099], [nil, 125, 686.875]),
      ([0, 100, 1_100, 1_200], [nil, 125, nil, 125]),
    ] as [([UInt64], [Double?])] {
      var steps = Steps()
      #expect(times.map { steps.take(at: $0) } == milliseconds)
    }
  }

  @Test func `A shape that is dragged goes on gliding while the steps of many others are forgotten`() {
    func item(_ x: Double) -> CanvasScene.Item {
      CanvasScene.Item(
        outline: Outline(.rectangle, x, 0, 10, 10),
        fill: Color(packed: 0),
        stroke: Color(packed: 0),
        strokeWidth: 0,
        opacity: 1
      )
    }
    var glides = Glides()
    func take(_ number: UInt64, to x: Double, at now: UInt64) -> Double {
      glides.take(item(x), of: Identifier(packed: number)!, from: item(x - 100), at: now).outline.position.x
    }
    for number in 2...1_001 as ClosedRange<UInt64> { _ = take(number, to: 100, at: 1_000) }
    #expect(take(1, to: 100, at: 2_900) == 100 && glides.isEmpty)
    #expect(take(1, to: 200, at: 3_000) == 100 && !glides.isEmpty)
    #expect(take(2, to: 200, at: 3_000) == 200)
  }

  @Test func `What the hole swallows goes there in a bow, smaller and smaller, and is gone then`() {
    var item = CanvasScene.Item(
      outline: Outline(.rectangle, 0, 0, 100, 50),
      fill: Color(packed: 0),
      stroke: Color(packed: 0),
      strokeWidth: 8,
      opacity: 1
    )
    item.outline.rotation = 10
    var departures = Departures()
    departures.add(item, to: Rect(399, 199, 2, 2), at: 1_000)
    #expect(departures.items(at: 1_000) == [item])
    let halfway = departures.items(at: 1_175)[0]
    #expect(halfway.outline == Outline(.rectangle, 221.875, 56.25, 50, 25, rotation: 70) && halfway.strokeWidth == 4)
    let last = departures.items(at: 1_349)[0].outline
    #expect(
      (last.bounds.center.x - 400).magnitude < 1 && (last.bounds.center.y - 200).magnitude < 1 && last.size.width < 2
    )
    #expect(!departures.isEmpty && departures.items(at: 1_350).isEmpty && departures.isEmpty)
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
