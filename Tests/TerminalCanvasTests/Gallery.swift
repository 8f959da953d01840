import CanvasCRDT
import TerminalCanvas

/// Drawings for people to look at.
enum Gallery {
  static func view(columns: Int, rows: Int) -> CanvasView {
    var view = CanvasView(columns: columns, rows: rows)
    view.fit(Rect(0, 0, 620, 360))
    return view
  }

  private static func item(
    _ kind: ShapeKind,
    _ box: (Double, Double, Double, Double),
    _ fill: UInt32,
    turned: Double = 0,
    stroke: UInt32 = 0,
    strokeWidth: Double = 0,
    opacity: Double = 1,
    points: Int = 5
  ) -> CanvasScene.Item {
    CanvasScene.Item(
      outline: Outline(kind, box.0, box.1, box.2, box.3, rotation: turned, points: points),
      fill: Color(packed: fill),
      stroke: Color(packed: stroke),
      strokeWidth: strokeWidth,
      opacity: opacity
    )
  }

  static let sun = item(.ellipse, (20, 20, 140, 140), 0xFFD23F)
  static let moon = item(.ellipse, (120, 60, 110, 110), 0xB8C4D6, opacity: 0.8)

  static var kinds: CanvasScene {
    var scene = CanvasScene()
    scene.items = [
      sun, moon,
      item(.rectangle, (270, 30, 150, 110), 0xE4572E, turned: 20, stroke: 0xFFFFFF, strokeWidth: 10),
      item(.roundedRectangle, (450, 20, 150, 120), 0x2E86AB, stroke: 0x0B3954, strokeWidth: 14),
      item(.polygon, (40, 200, 140, 140), 0x66A182, points: 6),
      item(.star, (220, 190, 170, 160), 0xF2A1C7, turned: 10, stroke: 0x8E2F5C, strokeWidth: 8),
      item(.star, (430, 180, 160, 160), 0x9B5DE5, opacity: 0.5, points: 12),
      item(.rectangle, (520, 230, 90, 120), 0xFFFFFF, opacity: 0.6),
    ]
    scene.commonRegions =
      (sun.outline.commonRegion(with: moon.outline) ?? [])
      + (scene.items[6].outline.commonRegion(with: scene.items[7].outline) ?? [])
    return scene
  }

  /// Texts in all positions of their boxes, one under a shape, and one rotated.
  static var texts: CanvasScene {
    var scene = CanvasScene()
    func add(
      _ item: CanvasScene.Item,
      _ text: String,
      _ align: TextAlign = .center,
      _ place: TextPlace = .middle,
      under covers: [Outline] = []
    ) {
      var item = item
      item.text = text
      item.textAlign = align
      item.textPlace = place
      scene.items.append(item)
      var label = CanvasScene.Label(item)
      label.covers = covers
      scene.labels.append(label)
    }
    let lid = item(.ellipse, (330, 60, 60, 50), 0xE4572E)
    add(item(.rectangle, (20, 20, 130, 110), 0xFFE27A), "Buy milk,\nand bread", .left, .top)
    add(item(.roundedRectangle, (170, 20, 120, 110), 0x0B3954), "A note whose words take several lines", .center)
    add(item(.rectangle, (310, 20, 140, 110), 0x66A182), "What lies under another shape", .right, under: [lid.outline])
    scene.items.append(lid)
    add(item(.text, (470, 20, 130, 110), 0x2E86AB), "太陽 and “a text” without a box", .left, .bottom)
    add(item(.ellipse, (20, 160, 200, 120), 0xB8C4D6, turned: 30), "Turned, its words are not")
    var empty = item(.rectangle, (240, 160, 160, 120), 0xFFFFFF, stroke: 0xF2A1C7, strokeWidth: 8)
    empty.isFilled = false
    add(empty, "Not filled", .center, .bottom)
    add(
      item(.rectangle, (420, 160, 180, 40), 0x9B5DE5),
      "More than there is room for, so that its end can't be seen at all"
    )
    return scene
  }

  /// Dashed outlines, and a dashed line across all of them.
  static var dashes: CanvasScene {
    var scene = CanvasScene()
    for (index, kind) in [ShapeKind.rectangle, .ellipse, .star, .roundedRectangle].enumerated() {
      for (row, dash) in [Dash.dashed, .dotted].enumerated() {
        let box = (20 + 150 * Double(index), 20 + 160 * Double(row), 130.0, 120.0)
        var item = item(kind, box, 0x0B3954, turned: 10 * Double(row), stroke: 0xFFD23F, strokeWidth: 8)
        item.isFilled = index % 2 == 0
        item.dash = dash
        scene.items.append(item)
      }
    }
    let way = (0...20).map { Point(x: 10 + 30 * Double($0), y: 160 + ($0 % 2 == 0 ? 0 : 20)) }
    guard var line = CanvasScene.Item(inkThrough: way, width: 8, color: Color(packed: 0xE4572E)) else { return scene }
    line.dash = .dashed
    scene.items.append(line)
    return scene
  }

  static func room(columns: Int, rows: Int) -> RoomFrame {
    var frame = RoomFrame(view: view(columns: columns, rows: rows))
    let ann = Color(packed: 0xE4572E)
    let bob = Color(packed: 0x2E86AB)
    frame.room = "demo"
    frame.scene = kinds
    frame.scene.hole = 1
    frame.scene.marks = [
      CanvasScene.Mark(outline: kinds.items[4].outline, color: bob, flag: "Bob"),
      CanvasScene.Mark(outline: kinds.items[2].outline, color: ann, hasHandles: true),
    ]
    frame.scene.pointers = [CanvasScene.Pointer(place: Point(x: 150, y: 300), color: bob, name: "Bob")]
    frame.scene.labels = [
      CanvasScene.Label(text: "Sun", center: Point(x: 70, y: 90)),
      CanvasScene.Label(text: "Rounded 太陽", center: Point(x: 525, y: 80)),
    ]
    frame.people = [RoomFrame.Person(name: "Ann", color: ann, isSelf: true), RoomFrame.Person(name: "Bob", color: bob)]
    frame.layers = RoomFrame.Window([
      RoomFrame.Layer(name: "Glass", color: Color(packed: 0xFFFFFF)),
      RoomFrame.Layer(name: "Star 12", color: Color(packed: 0x9B5DE5)),
      RoomFrame.Layer(name: "Rounded 太陽", color: Color(packed: 0x2E86AB)),
      RoomFrame.Layer(name: "Card", color: Color(packed: 0xE4572E), isSelected: true),
      RoomFrame.Layer(name: "Hidden", color: Color(packed: 0x777777), isVisible: false),
      RoomFrame.Layer(name: "Moon", color: Color(packed: 0xB8C4D6)),
      RoomFrame.Layer(name: "Sun", color: Color(packed: 0xFFD23F)),
    ])
    frame.overlaps = RoomFrame.Window([
      RoomFrame.Overlap(first: "Sun", second: "Moon", percent: 38),
      RoomFrame.Overlap(first: "Glass", second: "A star with quite a long name", percent: 0),
    ])
    frame.roundTripMilliseconds = 12
    frame.notice = RoomFrame.Notice("Sun overlaps Moon · Bob, just now", .overlap)
    return frame
  }

  static func screen(
    _ frame: RoomFrame,
    columns: Int,
    rows: Int,
    _ depth: ColorDepth,
    theme: Theme = .dark,
    wantsPanel: Bool = true
  ) -> Screen {
    let layout = RoomLayout(
      columns: columns,
      rows: rows,
      wantsPanel: wantsPanel,
      peopleCount: frame.people.count,
      overlapCount: frame.overlaps.count
    )
    return RoomScreen(layout: layout, theme: theme, depth: depth).screen(frame)
  }
}
