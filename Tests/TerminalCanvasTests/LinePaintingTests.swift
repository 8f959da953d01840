import CanvasCRDT
import Testing

@testable import TerminalCanvas

@Suite("Lines and ink")
struct LinePaintingTests {
  private let red = Color(packed: 0xFF0000)
  /// A view in which a pixel is 4 units wide and 8 units high.
  private let view = CanvasView(columns: 80, rows: 24)

  private func shape(_ kind: ShapeKind, _ points: [Point], _ assign: (inout Properties) -> Void) -> Shape {
    var set = Properties()
    set.kind = kind
    set.stroke = red
    set.lead(through: points)
    assign(&set)
    var canvas = Canvas()
    let id = Identifier(packed: 1)!
    canvas.apply(Operation(shape: id, at: Stamp(milliseconds: 1, counter: 0, actor: id)!, set: set))
    return canvas[id]!
  }

  private func paint(_ item: CanvasScene.Item, _ view: CanvasView? = nil) -> Pixels {
    var scene = CanvasScene()
    scene.items = [item]
    var painter = ScenePainter(view: view ?? self.view, theme: .dark)
    painter.paintShapes(scene)
    return painter.pixels
  }

  private func color(_ x: Double, _ y: Double, _ pixels: Pixels) -> Color { pixels[Int(y / 8), Int(x / 4)] }

  private func caption(_ item: CanvasScene.Item) -> CaptionCells? {
    var bytes = 0
    return CaptionCells(item, in: view, bytesWrapped: &bytes)
  }

  private let across = [Point(x: 40, y: 100), Point(x: 600, y: 100)]

  @Test("A line is painted along its points, and nothing of its box is filled")
  func line() {
    let bent = shape(.line, across + [Point(x: 600, y: 300)]) { $0.strokeWidth = 16 }
    let pixels = paint(CanvasScene.Item(bent))
    #expect(color(300, 100, pixels) == red && color(600, 200, pixels) == red)
    #expect(color(300, 200, pixels) == Theme.dark.paper && color(20, 100, pixels) == Theme.dark.paper)
    // The corner is rounded. So this point, which lies beyond the ends of both segments, is painted.
    #expect(color(602, 97, pixels) == red)
    let none = paint(CanvasScene.Item(shape(.line, across) { $0.strokeWidth = 0 }))
    #expect(none == Pixels(width: 160, height: 48, filledWith: Theme.dark.paper))
  }

  @Test("S16: a line has a gap where its caption stands, solid or dashed, unless the line is shorter than that")
  func caption() throws {
    for dash in Dash.allCases {
      let line = CanvasScene.Item(
        shape(.line, across) {
          $0.strokeWidth = 16
          $0.text = "yes"
          $0.dash = dash
        }
      )
      // A column is 8 units wide. The caption's middle is at 320, so it takes the columns 39 to 41, and a space on each
      // side.
      let cells = try #require(caption(line))
      #expect(cells.text == "yes" && cells.box.minX == 312 && cells.box.maxX == 336 && cells.box.minY == 96)
      let pixels = paint(line)
      #expect((308..<340).allSatisfy { color(Double($0), 100, pixels) == Theme.dark.paper })
      for beside in [260..<300, 350..<390] {
        #expect(beside.contains { color(Double($0), 100, pixels) != Theme.dark.paper }, "\(dash)")
      }
    }
    let short = CanvasScene.Item(
      shape(.line, [Point(x: 40, y: 100), Point(x: 70, y: 100)]) {
        $0.strokeWidth = 16
        $0.text = "yes"
      }
    )
    #expect(caption(short) == nil && color(56, 100, paint(short)) == red)
    // A caption of one letter needs three columns.
    for (end, has) in [(64, true), (63, false)] as [(Double, Bool)] {
      let tiny = CanvasScene.Item(shape(.line, [Point(x: 40, y: 100), Point(x: end, y: 100)]) { $0.text = "y" })
      #expect((caption(tiny) != nil) == has, "\(end)")
    }
    let long = shape(.line, across) { $0.text = Text(String(repeating: "word ", count: 800)) }
    let cells = try #require(caption(CanvasScene.Item(long)))
    #expect(cells.text.split(separator: "\n").count == 4 && cells.text.hasSuffix("…"))
  }

  @Test("A line has its caption if that is not wider, and much wider ones are not even wrapped")
  func captionWidths() {
    let beginnings = ["", " ", "a ", "a  b ", "ab\n", "\n", "ä", "界 ", "- ", "1. ", "**a** ", "- a\n- b ", "😀"]
    let rests = ["to be or not to be, that is"] + (0...40).map { String(repeating: "w", count: $0) + " end" }
    for text in beginnings.flatMap({ beginning in rests.map { beginning + $0 } }) {
      for columns in 1...27 {
        let points = [Point(x: 0, y: 100), Point(x: Double(8 * columns), y: 100)]
        let line = CanvasScene.Item(shape(.line, points) { $0.text = Text(text) })
        let widest = line.text.wrapped(columns: 24, rows: 4).map(\.columns).max()!
        #expect((caption(line) != nil) == (columns >= widest + 2), "\(text) in \(columns) columns")
      }
    }
    let short = shape(.line, [Point(x: 0, y: 100), Point(x: 80, y: 100)]) {
      $0.text = Text(String(repeating: "wwwwwww ", count: 19))
    }
    var bytes = 0
    let cells = CaptionCells(CanvasScene.Item(short), in: view, bytesWrapped: &bytes)
    #expect(cells == nil && bytes == 0)
  }

  @Test("The work of a painting includes the captions that are wrapped for it")
  func captionWork() {
    func work(_ text: Text) -> Int {
      let line = shape(.line, [Point(x: 40, y: 100), Point(x: 41, y: 150)]) { ($0.strokeWidth, $0.text) = (4, text) }
      var painter = ScenePainter(view: view, theme: .dark)
      _ = painter.paint([CanvasScene.Item(line)], from: 0, work: .max)
      return painter.work
    }
    #expect(work(Text(String(repeating: "w", count: 100))) == work("") + 100 * Coverage.pixelsPerCorner)
  }

  @Test("Arrows and dots are wider than the line, an arrow ends in its tip")
  func heads() {
    let line = shape(.line, across) {
      $0.strokeWidth = 16
      $0.fromEnd = .dot
      $0.toEnd = .arrow
    }
    let pixels = paint(CanvasScene.Item(line))
    #expect(color(550, 84, pixels) == red && color(550, 116, pixels) == red)
    #expect(color(300, 84, pixels) == Theme.dark.paper && color(598, 84, pixels) == Theme.dark.paper)
    #expect(color(40, 88, pixels) == red && color(26, 100, pixels) == red)
  }

  @Test("Ink is as wide as each of its points says")
  func ink() {
    let stroke = shape(.ink, across) {
      $0.strokeWidth = 32
      $0.path = Path([
        Path.Point(BoxPlace(x: 0, y: 0)), Path.Point(BoxPlace(shareX: 0.5, shareY: 0), width: 25),
        Path.Point(BoxPlace(x: BoxPlace.end, y: 0), width: 25),
      ])!
    }
    let pixels = paint(CanvasScene.Item(stroke))
    #expect(color(100, 100, pixels) == red && color(100, 92, pixels) == red)
    #expect(color(400, 100, pixels) == red && color(400, 92, pixels) == Theme.dark.paper)
    let dot = paint(CanvasScene.Item(shape(.ink, [across[0], across[0]]) { $0.strokeWidth = 40 }))
    #expect(color(40, 100, dot) == red && color(40, 108, dot) == red && color(40, 130, dot) == Theme.dark.paper)
  }

  @Test("A line covers its length times its width and round ends, however many steps it has", arguments: [0.3, 2])
  func coverage(_ width: Double) throws {
    let bow = (-20...20).map { step -> Point in
      let along = Double(step)
      return Point(x: 40 + 1.5 * along, y: 40 + along * along / 20)
    }
    let line = try #require(DrawnLine(shape(.ink, bow) { $0.strokeWidth = width }))
    var length = 0.0
    for piece in line.pieces {
      let points = piece.points(steps: 16)
      for (from, to) in zip(points, points.dropFirst()) {
        let (x, y) = (to.x - from.x, to.y - from.y)
        length += (x * x + y * y).squareRoot()
      }
    }
    for stepMax in [0.1, 1, 100] {
      var coverage = Coverage(width: 80, height: 80)
      for polygon in Stroke.polygons(of: line, widthMin: 0, stepMax: stepMax) { coverage.add(polygon) }
      var sum = 0.0
      coverage.take { _, _, part in sum += Double(part) }
      let expected = length * width + .pi * width * width / 4
      #expect(abs(sum - expected) < 0.03 * expected, "\(stepMax)")
    }
  }

  @Test("A thin line is seen from afar")
  func thin() {
    var far = view
    far.zoom(toPercent: 5)
    far.show(center: Point(x: 300, y: 100))
    let pixels = paint(CanvasScene.Item(shape(.line, across) { $0.strokeWidth = 1 }), far)
    let reds = (0..<pixels.height).flatMap { row in (0..<pixels.width).map { Int(pixels[row, $0].red) } }
    #expect(reds.max()! > Int(Theme.dark.paper.red) + 40)
  }

  @Test("Where its box goes, the line goes too; held up, it stays where its ends are")
  func moved() {
    var item = CanvasScene.Item(shape(.line, across) { $0.strokeWidth = 32 })
    let lifted = paint(item.lifted)
    #expect(color(20, 100, lifted) == Theme.dark.paper && color(300, 100, lifted) != Theme.dark.paper)
    item.grow(by: 0.5)
    item.outline.position.y += 200
    let pixels = paint(item)
    #expect(color(300, 300, pixels) == red && color(300, 100, pixels) == Theme.dark.paper)
    #expect(color(100, 300, pixels) == Theme.dark.paper, "it is half as long")
    item.outline.rotation = 90
    let turned = paint(item)
    #expect(color(320, 200, turned) == red && color(240, 300, turned) == Theme.dark.paper)
  }

  /// Shows as text which pixels of a row are painted.
  private func pattern(_ pixels: Pixels, y: Double, from: Double, to: Double) -> String {
    stride(from: from, to: to, by: 4).map { color($0, y, pixels) == Theme.dark.paper ? " " : "#" }.joined()
  }

  @Test("A dashed line has parts of three widths and gaps of two, around corners too")
  func dashed() {
    let line = shape(.line, across) {
      $0.strokeWidth = 16
      $0.dash = .dashed
    }
    #expect(
      pattern(paint(CanvasScene.Item(line)), y: 100, from: 40, to: 280)
        == "############        ############        ############        "
    )
    // The second dash begins 10 units before the corner, and continues for 38 units after it.
    let bent = shape(.line, [Point(x: 40, y: 100), Point(x: 130, y: 100), Point(x: 130, y: 300)]) {
      $0.strokeWidth = 16
      $0.dash = .dashed
    }
    let pixels = paint(CanvasScene.Item(bent))
    #expect(color(130, 132, pixels) == red && color(130, 148, pixels) == Theme.dark.paper)
    #expect(color(133, 97, pixels) == red, "the corner is round")
  }

  @Test("A dotted line is dots two widths apart")
  func dotted() {
    let line = shape(.line, across) {
      $0.strokeWidth = 16
      $0.dash = .dotted
    }
    let pixels = paint(CanvasScene.Item(line))
    for dot in 0..<10 {
      #expect(color(40 + 32 * Double(dot), 100, pixels) == red)
      #expect(color(56 + 32 * Double(dot), 100, pixels) == Theme.dark.paper)
    }
  }

  @Test("An outline is broken too; where its parts are smaller than a pixel, it isn't")
  func brokenOutline() {
    let box = Outline(.rectangle, 40, 40, 400, 200)
    var item = CanvasScene.Item(outline: box, fill: red, stroke: red, strokeWidth: 16, opacity: 1)
    item.isFilled = false
    item.dash = .dashed
    #expect(pattern(paint(item), y: 40, from: 40, to: 200) == "############        ############        ")
    var far = view
    far.zoom(toPercent: 5)
    var unbroken = item
    unbroken.dash = .solid
    item.strokeWidth = 4
    unbroken.strokeWidth = 4
    #expect(paint(item, far) == paint(unbroken, far))
  }

  @Test("Of a line that leads far beyond the view only what is seen is made")
  func far() {
    let view = Rect(0, 0, 640, 384)
    let dashes = Dashes(.dashed, width: 4, within: view)
    let far = dashes.polygons(along: [Point(x: -1e7, y: 100), Point(x: 1e7, y: 100)])
    #expect((30...36).contains(far.count))
    #expect(dashes.polygons(along: [Point(x: -1e7, y: 500), Point(x: 1e7, y: 500)]).isEmpty)
    #expect(
      Dashes(.dotted, width: 4, within: view).polygons(along: [Point(x: 320, y: -1e7), Point(x: 320, y: 1e7)]).count
        < 55
    )
  }

  @Test("a line that is thin beside the cells is seen in sixteen colours too", arguments: [Theme.dark, .light])
  func thinLines(_ theme: Theme) {
    var scene = CanvasScene()
    let points = [Point(x: 5, y: 47), Point(x: 195, y: 47)]
    scene.items = [CanvasScene.Item(inkThrough: points, width: 4, color: Color(packed: 0x76_76_76))!]
    var view = CanvasView(columns: 20, rows: 5)
    view.zoom(toPercent: 100)
    view.origin = Point(x: 0, y: 0)
    var painter = ScenePainter(view: view, theme: theme)
    painter.paintShapes(scene)
    var screen = Screen(columns: 20, rows: 5)
    SceneCells(view: view, theme: theme, depth: .sixteen).write(painter.pixels, scene, to: &screen)
    let paper = ColorDepth.sixteen.ink(theme.paper)
    let seen = (0..<5).contains { row in
      (4..<16).allSatisfy { column in
        let cell = screen[row, column]
        return cell.background != paper || cell.glyph != .space && cell.glyph != Glyph("·") && cell.foreground != paper
      }
    }
    #expect(seen)
  }
}
