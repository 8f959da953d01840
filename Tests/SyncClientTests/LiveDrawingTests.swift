import CanvasCRDT
import TerminalCanvas
import TestSupport
import Testing

@testable import sync_client

/// What the screen knows of a room's shapes.
@Suite struct LiveDrawingTests {
  private let red = Color(packed: 0xFF0000)

  /// Rectangles, the first one at the back, each with its index for an identifier and a name.
  private func drawing(_ boxes: [Rect], _ assign: (Int, inout Properties) -> Void = { _, _ in }) -> LiveDrawing {
    var canvas = Canvas()
    for (index, box) in boxes.enumerated() {
      let shape = id(index)
      let set = Properties {
        ($0.kind, $0.name, $0.position, $0.size) = (.rectangle, Text("B\(index)"), box.origin, box.size)
        ($0.z, $0.fill) = (OrderKey(Text("k\(Character(Unicode.Scalar(UInt8(97 + index % 26))))"))!, red)
        assign(index, &$0)
      }
      canvas.apply(Operation(shape: shape, at: Stamp(milliseconds: 1, counter: 0, actor: shape)!, set: set))
    }
    return LiveDrawing(canvas)
  }

  private func id(_ index: Int) -> Identifier { Identifier(packed: UInt64(index + 1))! }

  @Test func `Layers are listed from the front, as many as there is room for`() {
    let drawing = drawing((0..<5).map { Rect(Double(200 * $0), 0, 100, 100) }) { index, set in
      if index == 3 { set.visible = false }
      if index == 1 { (set.kind, set.stroke) = (.line, Color(packed: 0x00FF00)) }
    }
    let window = drawing.layers(from: 1, rows: 3, selected: [id(2)])
    #expect(window.start == 1 && window.count == 5 && window.elements.map(\.name) == ["B3", "B2", "B1"])
    #expect(
      window.elements.map(\.isVisible) == [false, true, true]
        && window.elements.map(\.isSelected) == [false, true, false]
    )
    #expect(window.elements.map(\.color) == [red, red, Color(packed: 0x00FF00)])
    #expect(
      drawing.layers(from: 4, rows: 9).elements.map(\.name) == ["B0"]
        && drawing.layers(from: 9, rows: 9).elements.isEmpty
    )
    #expect(drawing.color(of: id(9)) == Properties().fill && drawing.name(of: id(9)) == id(9).text)
  }

  @Test func `Overlaps are listed with their share, those of the selected shape first`() {
    var drawing = drawing((0..<4).map { Rect(Double(25 * $0), 0, 100, 100) })
    let all = drawing.overlaps(rows: 9)
    #expect(all.count == 6 && all.elements.count == 6)
    #expect(all.elements.first == RoomFrame.Overlap(first: "B0", second: "B1", percent: 75))
    let own = drawing.listedPairs(rows: 4, selected: id(3))
    #expect(own.count == 4 && own.prefix(3).allSatisfy { $0.first == id(3) || $0.second == id(3) })
    #expect(own.last.map { $0.first != id(3) && $0.second != id(3) } == true && Set(own).count == 4)
    #expect(
      drawing.listedPairs(rows: 2, selected: id(3)).count == 2 && drawing.listedPairs(rows: 0, selected: nil).isEmpty
    )
    #expect(drawing.overlaps(rows: 2).elements.count == 2 && drawing.overlaps(rows: 2).count == 6)
    #expect(drawing.share(of: ShapePair(id(0), id(9))) == nil)
  }

  @Test func `The frontmost shape is hit, and one without a fill only if there is no other`() {
    let boxes = [Rect(0, 0, 100, 100), Rect(50, 0, 100, 100), Rect(0, 0, 300, 300)]
    let drawing = drawing(boxes) { index, set in if index == 2 { set.isFilled = false } }
    #expect(drawing.shape(at: Point(x: 75, y: 50)) == id(1) && drawing.shape(at: Point(x: 25, y: 50)) == id(0))
    #expect(drawing.shape(at: Point(x: 250, y: 250)) == id(2) && drawing.shape(at: Point(x: 350, y: 50)) == nil)
    #expect(drawing.shape(at: Point(x: 75, y: 50)) { $0 != id(1) } == id(0))
    #expect(drawing.shape(at: Point(x: 75, y: 50)) { $0 == id(2) } == id(2))
  }

  @Test func `A wide line is hit as far as it reaches beyond its box`() {
    let drawing = drawing([Rect(0, 100, 400, 1)]) { _, set in (set.kind, set.strokeWidth) = (.line, 40) }
    #expect(drawing.shape(at: Point(x: 200, y: 118)) == id(0) && drawing.shape(at: Point(x: 200, y: 124)) == nil)
    #expect(drawing.shape(at: Point(x: 200, y: 124), reach: 5) == id(0))
  }

  @Test func `A line is found along its whole way after its route has changed`() {
    var canvas = Canvas()
    var drawing = LiveDrawing()
    var written: UInt64 = 0
    func write(_ index: Int, _ assign: (inout Properties) -> Void) {
      written += 1
      let stamp = Stamp(milliseconds: written, counter: 0, actor: id(0))!
      let change = canvas.apply(Operation(shape: id(index), at: stamp, set: Properties(assign)))
      drawing.reorder(after: [change], in: canvas)
      _ = drawing.follow(change, in: canvas)
    }
    for (index, x) in [0.0, 600].enumerated() {
      write(index) {
        ($0.kind, $0.position, $0.size) = (.rectangle, Point(x: x, y: 0), Size(width: 200, height: 2_000))
      }
    }
    write(2) {
      ($0.kind, $0.from) = (.line, Tie(shape: id(0), place: BoxPlace(shareX: 0, shareY: 0.5)))
      $0.to = Tie(shape: id(1), place: BoxPlace(shareX: 1, shareY: 0.5))
    }
    // The way around leads over the top or below.
    func outside() -> [Identifier] { [-510.0, 2_010].flatMap { drawing.visible(in: Rect(-500, $0, 2_000, 500)) } }
    #expect(outside().isEmpty)
    write(2) { $0.route = .elbow }
    #expect(outside() == [id(2)])
  }

  @Test func `A common area is painted once, whichever of its two shapes are seen`() {
    // Few shapes are seen, and many are not.
    let far = (0..<20).map { Rect(Double(1_000 + 200 * $0), 0, 100, 100) }
    var drawing = drawing([Rect(0, 0, 100, 100), Rect(50, 0, 100, 100)] + far)
    for box in [Rect(0, 0, 150, 100), Rect(10, 0, 20, 100), Rect(120, 0, 20, 100)] {
      var loops: [[Point]] = []
      let isDone = drawing.commonRegions(of: drawing.visible(in: box), in: box, into: &loops)
      #expect(isDone && loops.count == 1, "\(box)")
    }
  }

  @Test(arguments: [(ShapeKind.star, 20), (.rectangle, 95)])
  func `The common areas of intricate shapes, or of many, are computed over several frames`(kind: ShapeKind, count: Int)
  {
    let box = Rect(0, 0, 200, 200)
    var drawing = drawing((0..<count).map { Rect(Double($0), 0, 100, 100) }) { _, set in
      (set.kind, set.points) = (kind, 64)
    }
    var loops: [[Point]] = []
    var frames = 1
    while !drawing.commonRegions(of: drawing.visible(in: box), in: box, into: &loops), frames < 1_000 {
      (loops, frames) = ([], frames + 1)
    }
    #expect(frames > 2 && frames < 100 && loops.count >= 190, "\(frames) frames")
  }

  @Test func `A text is hidden by what is filled, opaque and in front of it, and by too much of that altogether`() {
    for (covers, count) in [(32, 32), (33, nil)] as [(Int, Int?)] {
      let drawing = drawing([Rect(0, 0, 100, 100)] + (0..<covers).map { Rect(Double($0), 0, 100, 100) }) { index, set in
        set.z = OrderKey(
          Text(
            index < 20
              ? "a\(Character(Unicode.Scalar(UInt8(97 + index))))"
              : "b\(Character(Unicode.Scalar(UInt8(97 + index - 20))))"
          )
        )!
      }
      var lookedAt = 0
      #expect(
        drawing.covers(of: id(0), in: Rect(0, 0, 100, 100), lookedAt: &lookedAt)?.count == count && lookedAt > covers
      )
    }
    for (change, count) in [
      ({ _ in }, 1), ({ $0.isFilled = false }, 0), ({ $0.alpha = 9 }, 0), ({ $0.kind = .text }, 0),
      ({ $0.z = OrderKey("a")! }, 0),
      ({ $0.position = Point(x: 101, y: 0) }, 0),
    ] as [((inout Properties) -> Void, Int)] {
      let drawing = drawing([Rect(0, 0, 100, 100), Rect(50, 0, 100, 100)]) { index, set in
        if index == 1 { change(&set) }
      }
      var lookedAt = 0
      #expect(drawing.covers(of: id(0), in: Rect(0, 0, 100, 100), lookedAt: &lookedAt)?.count == count)
    }
  }

  @Test func `What may be seen of a box is found in the order of drawing, however far its outline reaches`() {
    let boxes = (0..<20).map { Rect(Double(200 * $0), 0, 100, 100) }
    let near = drawing(boxes)
    #expect(
      near.visible(in: Rect(0, 0, 250, 100)) == [id(0), id(1)] && near.visible(in: Rect(0, 0, 9_000, 100)).count == 20
    )
    #expect(near.visible(in: Rect(0, 0, 2_050, 100)) == (0...10).map { id($0) })
    #expect(near.visible(in: Rect(110, 0, 50, 100)).isEmpty)
    let wide = drawing(boxes) { index, set in if index == 0 { set.strokeWidth = 40 } }
    #expect(wide.visible(in: Rect(110, 0, 50, 100)).contains(id(0)))
    #expect(near.bounds == Rect(0, 0, 3_900, 100) && drawing([]).bounds == nil)
    let hidden = drawing(boxes) { index, set in set.visible = index == 3 }
    #expect(hidden.bounds == boxes[3] && hidden.visible(in: Rect(0, 0, 9_000, 100)) == [id(3)])
  }
}
