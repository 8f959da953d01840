import CanvasCRDT
import TerminalCanvas
import Testing

@Suite("Golden frames")
struct GoldenFrameTests {
  @Test("Every kind of shape, turned, stroked and translucent, at 80×24", arguments: ColorDepth.allCases)
  func kinds(_ depth: ColorDepth) throws {
    var frame = RoomFrame(view: Gallery.view(columns: 80, rows: 23))
    frame.room = "demo"
    frame.scene = Gallery.kinds
    frame.scene.hole = 1
    try GoldenScreens.expect(Gallery.screen(frame, columns: 80, rows: 24, depth), "kinds-80x24-\(depth)")
  }

  @Test("Texts where they stand in their shapes, and how much of them is seen", arguments: [ColorDepth.exact, .none])
  func texts(_ depth: ColorDepth) throws {
    var frame = RoomFrame(view: Gallery.view(columns: 80, rows: 23))
    frame.room = "demo"
    frame.scene = Gallery.texts
    try GoldenScreens.expect(Gallery.screen(frame, columns: 80, rows: 24, depth), "texts-80x24-\(depth)")
  }

  @Test("Dashed and dotted lines", arguments: [ColorDepth.exact, .none])
  func dashes(_ depth: ColorDepth) throws {
    var frame = RoomFrame(view: Gallery.view(columns: 120, rows: 35))
    frame.room = "demo"
    frame.scene = Gallery.dashes
    try GoldenScreens.expect(
      Gallery.screen(frame, columns: 120, rows: 36, depth, wantsPanel: false),
      "dashes-120x36-\(depth)"
    )
  }

  @Test("A room with people, selections, layers and overlaps, at 120×36", arguments: [ColorDepth.exact, .none])
  func room(_ depth: ColorDepth) throws {
    try GoldenScreens.expect(
      Gallery.screen(Gallery.room(columns: 90, rows: 35), columns: 120, rows: 36, depth),
      "room-120x36-\(depth)"
    )
  }

  @Test("The same on a light terminal")
  func light() throws {
    let screen = Gallery.screen(Gallery.room(columns: 90, rows: 35), columns: 120, rows: 36, .exact, theme: .light)
    try GoldenScreens.expect(screen, "room-120x36-light")
  }

  @Test("An empty room shows its invitation")
  func empty() throws {
    var frame = RoomFrame(view: CanvasView(columns: 80, rows: 23))
    frame.room = "new"
    frame.scene.hole = 1
    frame.scene.invitation = ["An empty canvas", "", "Drag to draw · double click for a circle · ? for all keys"]
    try GoldenScreens.expect(Gallery.screen(frame, columns: 80, rows: 24, .exact), "empty-80x24")
  }

  @Test("A name is typed in the last row")
  func prompt() throws {
    var frame = Gallery.room(columns: 80, rows: 23)
    frame.prompt = RoomFrame.Prompt(label: "Name:", line: LineEditor("Sonne 太陽"))
    let screen = Gallery.screen(frame, columns: 80, rows: 24, .exact)
    #expect(screen.cursor == Screen.Place(row: 23, column: 17))
    try GoldenScreens.expect(screen, "prompt-80x24")
  }

  @Test("A lost connection says what is kept, and when the server is asked again")
  func reconnecting() {
    var frame = Gallery.room(columns: 80, rows: 23)
    frame.unsent = 2
    frame.connection = .reconnecting(seconds: 2)
    #expect(frame.connectionWords == "Reconnecting… your 2 changes are kept while this runs. Next try in 2 s.")
    let line = Gallery.screen(frame, columns: 80, rows: 24, .exact).text(row: 23)
    #expect(line.contains(frame.connectionWords), "\(line)")
    frame.unsent = 0
    #expect(frame.connectionWords == "Reconnecting… Next try in 2 s, or with any key.")
    frame.connection = .reconnecting(seconds: nil)
    #expect(frame.connectionWords == "Reconnecting…")
  }

  @Test("A connection that is lost, or closed for good, is told in the colour of warnings")
  func trouble() {
    var frame = Gallery.room(columns: 80, rows: 23)
    for (connection, isTrouble) in [
      (.live, false), (.loading, false), (.reconnecting(seconds: 2), true), (.closed("The room was deleted."), true),
    ] as [(RoomFrame.Connection, Bool)] {
      frame.connection = connection
      let ground = Gallery.screen(frame, columns: 80, rows: 24, .exact)[23, 0].background
      #expect((ground == ColorDepth.exact.ink(Theme.dark.warning)) == isTrouble, "\(connection)")
    }
  }

  @Test("The keys, over the canvas", arguments: [(80, 24), (120, 40)])
  func help(_ size: (columns: Int, rows: Int)) throws {
    var frame = Gallery.room(columns: size.columns, rows: size.rows - 1)
    frame.showsHelp = true
    let screen = Gallery.screen(frame, columns: size.columns, rows: size.rows, .exact, wantsPanel: false)
    try GoldenScreens.expect(screen, "help-\(size.columns)x\(size.rows)")
  }

  @Test("A moment of the past, with its bar", arguments: [true, false])
  func replay(_ isPlaying: Bool) throws {
    var frame = Gallery.room(columns: 80, rows: 23)
    frame.people = []
    frame.notice = nil
    frame.scene.hole = nil
    frame.timeline = Timeline(words: "demo  2026-11-20 18:00:07", part: 0.25, isPlaying: isPlaying, speed: 60)
    let screen = Gallery.screen(frame, columns: 80, rows: 24, .exact)
    try GoldenScreens.expect(screen, "replay-80x24-\(isPlaying ? "plays" : "stands")")
    let column = screen.text(row: 23).firstIndex(of: "●").map {
      screen.text(row: 23).distance(from: screen.text(row: 23).startIndex, to: $0)
    }
    let part = frame.timeline?.part(atColumn: column ?? 0, columns: 80)
    #expect(abs((part ?? 0) - 0.25) < 0.03, "a click on the bar's mark leads to where it stands")
  }

  @Test("An operator's table of rooms", arguments: [ColorDepth.exact, .none])
  func rooms(_ depth: ColorDepth) throws {
    var table = RoomsScreen()
    table.server = "127.0.0.1:8080"
    table.figures = ["34 connections", "1204 ops/s in", "30190 out", "lag 2.1 ms, p99 8 ms", "CPU 12 %", "64 MB"]
    table.rooms = [
      RoomsScreen.Row(room: "demo", shapes: 120, peers: 31, operations: 190_233, operationsPerSecond: 1_203.4),
      RoomsScreen.Row(
        room: "a-room-with-quite-a-long-name",
        shapes: 7,
        peers: 3,
        operations: 88,
        operationsPerSecond: 0.2
      ),
      RoomsScreen.Row(room: "quiet", shapes: 100_000, peers: 0, operations: 2_000_000, operationsPerSecond: 0),
    ]
    table.selected = 1
    let screen = table.screen(columns: 80, rows: 12, theme: .dark, depth: depth)
    try GoldenScreens.expect(screen, "rooms-80x12-\(depth)")
    #expect(RoomsScreen.heading(row: 3, column: 45, columns: 80) == .peers)
    var row = RoomsScreen.Row(room: "uncounted", shapes: nil, peers: 0, operations: 3, operationsPerSecond: 0)
    table.rooms.append(row)
    (row.room, row.fault) = ("torn", "it is damaged")
    table.rooms.append(row)
    let faults = table.screen(columns: 80, rows: 12, theme: .dark, depth: depth)
    #expect(faults.text(row: 7).split(separator: " ").prefix(3) == ["uncounted", "?", "0"])
    #expect(faults.text(row: 8).split(separator: " ") == ["torn", "it", "is", "damaged"])
    table.rooms.removeLast(2)
    table.rooms.sort { RoomsScreen.Column.shapes.isBefore($0, $1) }
    #expect(table.rooms.map { $0.shapes } == [100_000, 120, 7])
  }
}
