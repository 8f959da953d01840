import CanvasCRDT
import TestSupport
import Testing

@testable import TerminalCanvas

/// Flags, pointers, names and colours, in cases that no golden frame shows.
@Suite("What lies over the canvas")
struct SceneCellsTests {
  /// At 100 % a column takes 8 units and a row 16.
  private let view = CanvasView(columns: 40, rows: 12)
  private let blue = Color(packed: 0x2E86AB)

  private func screen(_ scene: CanvasScene, _ depth: ColorDepth = .exact, paper: Color = Theme.dark.paper) -> Screen {
    var screen = Screen(columns: view.columns, rows: view.rows)
    let pixels = Pixels(width: 2 * view.columns, height: 2 * view.rows, filledWith: paper)
    SceneCells(view: view, theme: .dark, depth: depth).write(pixels, scene, to: &screen)
    return screen
  }

  /// Where a text stands on the screen.
  private func place(_ text: String, _ screen: Screen) -> Screen.Place? {
    for row in 0..<screen.rows {
      let line = screen.text(row: row)
      guard let range = line.firstRange(of: text) else { continue }
      return Screen.Place(row: row, column: line.distance(from: line.startIndex, to: range.lowerBound))
    }
    return nil
  }

  @Test(
    "A flag stands above its shape, within the view, as long as any of the shape is seen",
    arguments: [
      (Rect(80, 80, 80, 80), 4, 10), (Rect(80, 4, 80, 80), 0, 10), (Rect(-40, 80, 80, 80), 4, 0),
      (Rect(300, 80, 80, 80), 4, 35), (Rect(80, 184, 80, 80), 10, 10),
    ] as [(Rect, Int, Int)]
  )
  func flags(_ box: Rect, _ row: Int, _ column: Int) {
    var scene = CanvasScene()
    scene.marks = [CanvasScene.Mark(outline: Outline(box), color: blue, flag: "Bob")]
    let shown = screen(scene)
    #expect(place(" Bob ", shown) == Screen.Place(row: row, column: column))
    #expect(shown[row, column + 1].background == ColorDepth.exact.ink(blue))
  }

  @Test(
    "Nothing is told of a shape that lies outside of the view",
    arguments: [Rect(-90, 80, 80, 80), Rect(321, 80, 80, 80), Rect(80, -90, 80, 80), Rect(80, 193, 80, 80)]
  )
  func outside(_ box: Rect) {
    var scene = CanvasScene()
    scene.marks = [CanvasScene.Mark(outline: Outline(box), color: blue, flag: "Bob")]
    let place = Point(
      x: box.minX < 0 ? -1 : box.minX > 300 ? 320 : 80,
      y: box.minY < 0 ? -1 : box.minY > 180 ? 192 : 80
    )
    scene.pointers = [CanvasScene.Pointer(place: place, color: blue, name: "Bob")]
    scene.labels = [CanvasScene.Label(text: "Name", center: place)]
    #expect(screen(scene) == screen(CanvasScene()))
  }

  @Test("A pointer has its name below it, in the last row beside it, and a long one in part")
  func pointers() {
    func shown(_ x: Double, _ y: Double, _ name: String = "Bob") -> Screen {
      var scene = CanvasScene()
      scene.pointers = [CanvasScene.Pointer(place: Point(x: x, y: y), color: blue, name: name)]
      return screen(scene)
    }
    for (x, y, row, column) in [(80.0, 80.0, 6, 11), (80, 191, 11, 11), (319, 80, 6, 35)] {
      #expect(place(" Bob ", shown(x, y)) == Screen.Place(row: row, column: column))
    }
    #expect(place("↖", shown(80, 80)) == Screen.Place(row: 5, column: 10))
    #expect(place(" abcdefghijklmnopqrs… ", shown(0, 0, "abcdefghijklmnopqrstuvwxyz")) != nil)
  }

  @Test("A name stands in the middle of its shape, black or white, and only as a whole")
  func names() {
    func shown(_ x: Double, _ depth: ColorDepth = .exact, paper: Color = Theme.dark.paper) -> Screen {
      var scene = CanvasScene()
      scene.labels = [CanvasScene.Label(text: "Name", center: Point(x: x, y: 88))]
      return screen(scene, depth, paper: paper)
    }
    for (x, column) in [(84.0, 8), (16, 0), (308, 36)] {
      #expect(place("Name", shown(x)) == Screen.Place(row: 5, column: column))
    }
    for x in [12.0, 316] { #expect(place("Nam", shown(x)) == nil && place("ame", shown(x)) == nil) }
    let (white, black) = (Color(packed: 0xFFFFFF), Color(packed: 0))
    for (paper, letters) in [(white, black), (Color(packed: 0x8D8D8D), black), (Color(packed: 0x8C8C8C), white)] {
      #expect(shown(84, paper: paper)[5, 8].foreground == ColorDepth.exact.ink(letters))
    }
    #expect(place(" Name ", shown(84, .none)) == Screen.Place(row: 5, column: 7))
  }

  @Test(
    "The dots of the grid are 1, 2, 5, 10 … units apart, and at least eight columns",
    arguments: [
      (100, [0, 12, 25, 37, 50, 62, 75], [0, 6, 12, 18]), (160, [0, 10, 20, 30, 40, 50, 60, 70], [0, 5, 10, 15, 20]),
      (400, [0, 10, 20, 30, 40, 50, 60, 70], [0, 5, 10, 15, 20]), (125, [0, 15, 31, 46, 62, 78], [0, 7, 15, 23]),
    ] as [(Double, [Int], [Int])]
  )
  func grid(_ percent: Double, _ columns: [Int], _ rows: [Int]) {
    var view = CanvasView(columns: 80, rows: 24)
    view.zoom(toPercent: percent)
    view.origin = Point(x: 0, y: 0)
    var screen = Screen(columns: 80, rows: 24)
    let pixels = Pixels(width: 160, height: 48, filledWith: Theme.dark.paper)
    SceneCells(view: view, theme: .dark, depth: .exact).write(pixels, CanvasScene(), to: &screen)
    let dot = Glyph("·")
    #expect((0..<80).filter { screen[0, $0].glyph == dot } == columns)
    #expect((0..<24).filter { screen[$0, 0].glyph == dot } == rows)
  }

  @Test("A lifted shape is a little larger and fainter, around the same middle")
  func lifted() {
    let item = CanvasScene.Item(
      outline: Outline(.rectangle, 100, 100, 100, 50),
      fill: blue,
      stroke: blue,
      strokeWidth: 0,
      opacity: 0.8
    )
    #expect((item.lifted.opacity - 0.68).magnitude < 1e-9)
    #expect(item.lifted.outline == Outline(.rectangle, 97, 98.5, 106, 53))
  }

  @Test("A dark colour of a person is lightened on dark paper only")
  func people() {
    let dark = Color(packed: 0x1D4ED8)
    #expect(
      Theme.dark.person(dark) == dark.covered(by: Color(packed: 0xFFFFFF), part: 0.4)
        && Theme.light.person(dark) == dark
    )
    #expect(Theme.dark.person(Color(packed: 0x787878)) == Color(packed: 0x787878))
    #expect(Theme.dark.person(Color(packed: 0x777777)) != Color(packed: 0x777777))
    #expect(Theme.dark.isDark && !Theme.light.isDark)
  }

  @Test("A colour becomes the nearest that the terminal has, and keeps its hue")
  func palette() {
    for (packed, sixteen, all) in [
      (0x000000, 0, 16), (0xFFFFFF, 15, 231), (0xFF0000, 9, 196), (0xCD0000, 1, 160), (0x808080, 8, 244),
      (0x5C5CFF, 12, 63), (0x2E86AB, 6, 31), (0x080808, 0, 232), (0xEEEEEE, 7, 255), (0x303030, 0, 236),
      (0x5F0000, 1, 52), (0x00FFFF, 14, 51),
    ] as [(UInt32, UInt8, UInt8)] {
      #expect(Palette.nearestOfSixteen(Color(packed: packed)) == sixteen, "\(String(packed, radix: 16))")
      #expect(Palette.nearestOfAll(Color(packed: packed)) == all, "\(String(packed, radix: 16))")
    }
    #expect(Palette.nearestOfSixteen(Color(packed: 0), but: 0) != 0)
    for (ink, front, back) in [
      (Ink.standard, "39", "49"), (.index(7), "37", "47"), (.index(8), "90", "100"), (.index(15), "97", "107"),
      (.index(16), "38;5;16", "48;5;16"), (.exact(0x0102FF), "38;2;1;2;255", "48;2;1;2;255"),
    ] {
      #expect(ink.foregroundCode == front && ink.backgroundCode == back)
    }
  }

  @Test("The pixels of one view lie in another where they belong")
  func moved() {
    var pixels = Pixels(width: 80, height: 24, filledWith: Theme.dark.paper)
    pixels.blend(10, 20, SIMD4(blue), part: 1)
    var moved = view
    moved.pan(columns: 3, rows: -2)
    let shown = pixels.moved(from: view, to: moved, paper: Color(packed: 0xFFFFFF))
    #expect(shown[14, 14] == blue && shown[10, 20] == Theme.dark.paper)
    #expect(
      shown[3, 40] == Color(packed: 0xFFFFFF) && shown[4, 73] == Theme.dark.paper
        && shown[4, 74] == Color(packed: 0xFFFFFF)
    )
    var larger = view
    larger.zoom(by: 2, atColumn: 0, row: 0)
    let zoomed = pixels.moved(from: view, to: larger, paper: Theme.dark.paper)
    #expect(
      [zoomed[20, 40], zoomed[21, 41], zoomed[22, 40], zoomed[20, 39]] == [
        blue, blue, Theme.dark.paper, Theme.dark.paper,
      ]
    )
  }

  @Test("A shape that is smaller than a pixel is one faint pixel, where it lies")
  func dots() {
    func painted(_ box: Rect, filled: Bool = true) -> [(Int, Int, Color)] {
      var scene = CanvasScene()
      var item = CanvasScene.Item(
        outline: Outline(box),
        fill: Color(packed: 0xFFFFFF),
        stroke: Color(packed: 0xFF0000),
        strokeWidth: filled ? 0 : 0.1,
        opacity: 1
      )
      item.isFilled = filled
      scene.items = [item]
      var painter = ScenePainter(view: view, theme: .dark)
      painter.paintShapes(scene)
      let pixels = painter.pixels
      return (0..<24).flatMap { row in (0..<80).map { (row, $0, pixels[row, $0]) } }.filter { $0.2 != Theme.dark.paper }
    }
    // A pixel is 4 units wide and 8 high.
    let faint = painted(Rect(40, 80, 0.1, 0.1))
    #expect(faint.count == 1 && faint[0].0 == 10 && faint[0].1 == 10)
    #expect(faint.first?.2 == Theme.dark.paper.covered(by: Color(packed: 0xFFFFFF), part: 0.15))
    let half = painted(Rect(40, 80, 2, 7.9))
    #expect(half.count == 1 && half[0].2.red > 120)
    let outline = painted(Rect(40, 80, 0.1, 0.1), filled: false)
    #expect(outline.count == 1 && outline[0].2.red > outline[0].2.green + 20)
    for box in [Rect(-1, 80, 0.1, 0.1), Rect(320, 80, 0.1, 0.1), Rect(40, -1, 0.1, 0.1), Rect(40, 192, 0.1, 0.1)] {
      #expect(painted(box).isEmpty)
    }
  }
}
