import CanvasCRDT
import TerminalCanvas
import Testing

@testable import sync_client

private let ann = Identifier(packed: 2)!

@Suite struct TextBoxTests {
  private func grown(_ text: Text, _ shape: (inout Properties) -> Void = { _ in }) -> Properties {
    var before = Properties()
    before.position = Point(x: 100, y: 100)
    before.size = Size(width: 200, height: 60)
    shape(&before)
    var set = Properties()
    set.text = text
    set.growBox(of: before)
    return set
  }

  @Test func `A box grows with what is written in it, and never shrinks`() {
    #expect(grown("Buy milk").assigned == [.text])
    // Five lines of 25 units each, plus margins of 8 above and below.
    #expect(grown("a\nb\nc\nd\ne").size == Size(width: 200, height: 141))
    let wrapped = grown("Buy milk, bread, and whatever else there is to be had").size
    #expect(wrapped.width == 200 && wrapped.height > 80)
    #expect(grown("a\nb\nc\nd\ne") { $0.textSize = 40 }.size.height == 266)
  }

  @Test func `Of a turned box the upper left corner stays where it is seen`() {
    let set = grown("a\nb\nc\nd\ne") { $0.rotation = 90 }
    // The text box is rotated by 90 degrees, so it grows to the left. Its first corner must stay at (230, 30).
    #expect(set.size == Size(width: 200, height: 141))
    let middle = Point(x: set.position.x + 100, y: set.position.y + 70.5)
    #expect((middle.x + 70.5 - 230).magnitude < 1e-9 && (middle.y - 100 - 30).magnitude < 1e-9)
  }
}

@Suite struct LabelsTests {
  private let view = CanvasView(columns: 80, rows: 24)

  private func labels(_ shapes: [(inout Properties) -> Void], _ view: CanvasView? = nil) -> [CanvasScene.Label] {
    var canvas = Canvas()
    for (index, assign) in shapes.enumerated() {
      var set = Properties()
      set.kind = .rectangle
      assign(&set)
      let shape = Identifier(packed: UInt64(index + 1))!
      canvas.apply(Operation(shape: shape, at: Stamp(milliseconds: 1, counter: 0, actor: ann)!, set: set))
    }
    var drawing = LiveDrawing(canvas)
    return PaintedShapes(&drawing, view: view ?? self.view, theme: .dark).labels
  }

  private func box(_ x: Double, _ y: Double, _ width: Double, _ height: Double, _ text: Text = "")
    -> (inout Properties) -> Void
  {
    { set in
      set.position = Point(x: x, y: y)
      set.size = Size(width: width, height: height)
      set.text = text
    }
  }

  @Test func `A text whose middle lies under another shape is shown beside that`() {
    let shown = labels([box(0, 0, 300, 100, "Under"), box(100, 20, 100, 60)])
    #expect(shown.map { $0.text } == ["Under"])
    #expect(shown.first?.covers.count == 1)
    // A shape that is see-through hides no text.
    let through = labels([
      box(0, 0, 300, 100, "Under"),
      {
        self.box(100, 20, 100, 60)(&$0); $0.alpha = 5
      },
    ])
    #expect(through.first?.covers.isEmpty == true)
  }

  @Test func `A line shows its caption in its colour, under what lies over it, and is clicked there`() {
    func line(_ set: inout Properties) {
      set.kind = .line
      set.position = Point(x: 40, y: 100)
      set.size = Size(width: 400, height: 1)
      set.strokeWidth = 4
      set.stroke = Color(packed: 0xFF0000)
      set.text = "todo"
    }
    let shown = labels([line, box(200, 60, 40, 80)])
    #expect(shown.first?.text == "todo")
    #expect(shown.first?.writing?.color == Color(packed: 0xFF0000) && shown.first?.covers.count == 1)
    var canvas = Canvas()
    var set = Properties()
    line(&set)
    set.size.height = 200
    canvas.apply(Operation(shape: ann, at: Stamp(milliseconds: 1, counter: 0, actor: ann)!, set: set))
    let drawing = LiveDrawing(canvas)
    // The line leads down from corner to corner. This point is on the caption, two columns from the line itself.
    let place = Point(x: 228, y: 204)
    #expect(drawing.shape(at: place, reach: 1, in: view) == ann && drawing.shape(at: place, reach: 1) == nil)
  }

  @Test func `Captions for which their lines are too short take away from the texts that are looked for`() {
    let text = Text(String(repeating: "wwwwwww ", count: 19))
    func lines(_ size: Size) -> [(inout Properties) -> Void] {
      (0..<6_000).map { _ in
        { set in
          set.kind = .line
          set.position = Point(x: 400, y: 300)
          set.size = size
          set.text = text
        }
      }
    }
    let under = box(0, 0, 300, 100, "Under")
    #expect(labels([under] + lines(Size(width: 30, height: 1))).count == 1, "it is seen without wrapping")
    #expect(labels([under] + lines(Size(width: 30, height: 60))).isEmpty)
  }

  @Test func `As many texts are shown as have room`() {
    let grid = (0..<300).map { (number: Int) in box(Double(number % 20) * 32, Double(number / 20) * 24, 30, 20, "ab") }
    #expect(labels(grid).filter { $0.writing != nil }.count == 300)
    var far = view
    far.zoom(toPercent: 25)
    #expect(labels(grid, far).isEmpty, "none has three columns")
    let heap = (0..<300).map { _ -> (inout Properties) -> Void in
      { set in
        box(0, 0, 640, 384, "ab")(&set)
        set.kind = .text
      }
    }
    #expect(labels(heap).count == 4)
    let named = (0..<300).map { (number: Int) in box(Double(number % 20) * 160, Double(number / 20) * 100, 155, 48) }
    #expect(labels(named, CanvasView(columns: 400, rows: 100)).count == 200, "nobody reads more names")
  }
}
