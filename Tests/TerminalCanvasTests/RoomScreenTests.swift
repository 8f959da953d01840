import CanvasCRDT
import TestSupport
import Testing

@testable import TerminalCanvas

/// The words around the canvas, in cases that no golden frame shows.
@Suite("Words around the canvas")
struct RoomScreenTests {
  private func frame(_ assign: (inout RoomFrame) -> Void = { _ in }) -> RoomFrame {
    var frame = RoomFrame(view: CanvasView(columns: 90, rows: 35))
    frame.room = "demo"
    frame.people = [RoomFrame.Person(name: "Ann", color: Color(packed: 0), isSelf: true)]
    assign(&frame)
    return frame
  }

  private func rows(_ frame: RoomFrame, columns: Int = 120, rows: Int = 36) -> [String] {
    let screen = Gallery.screen(frame, columns: columns, rows: rows, .exact)
    return (0..<rows).map { screen.text(row: $0) }
  }

  /// The words of the panel, row by row.
  private func panel(_ frame: RoomFrame) -> [String] {
    rows(frame).dropLast().map { $0.dropFirst(90).split(separator: " ").joined(separator: " ") }
  }

  @Test("The status line counts people and shapes, and says whom one follows")
  func status() {
    func status(_ assign: (inout RoomFrame) -> Void) -> String { rows(frame(assign))[35] }
    #expect(status { _ in }.hasPrefix(" demo  Saved · only you "))
    #expect(status { $0.unnamedCount = 1 }.contains("· 2 people "))
    #expect(status { $0.layers.count = 1 }.contains("· only you · 1 shape "))
    #expect(
      status {
        $0.layers.count = 7; $0.overlaps.count = 3
      }.contains("· 7 shapes · ⚠ 3 ")
    )
    #expect(
      status { $0.people.append(RoomFrame.Person(name: "Bob", color: Color(packed: 0), isFollowed: true)) }
        .contains("· 2 people · following Bob ")
    )
    #expect(status { $0.roundTripMilliseconds = 12 }.contains("· only you · 12 ms "))
    #expect(status { _ in }.hasSuffix(" 100 % · ? keys "))
    for connection in [RoomFrame.Connection.reconnecting(seconds: 3), .closed("Gone.")] {
      #expect(!status { $0.connection = connection }.contains("only you"))
    }
    #expect(status { $0.connection = .loading }.hasPrefix(" demo  Opening… · only you"))
    // Where there is no room for all, the end stays, or what is said of the connection.
    for (columns, rest) in [(46, ""), (50, "   100 % · ? keys "), (60, " · only you   100 % · ? keys ")] {
      let row = rows(frame { $0.room = "a-room-with-quite-a-long-name-of-its-own" }, columns: columns)[35]
      let beginning = " a-room-with-quite-a-lo…  Saved"
      #expect(row.hasPrefix(beginning) && row.dropFirst(beginning.count).drop { $0 == " " } == rest.drop { $0 == " " })
    }
    #expect(rows(frame(), columns: 14)[35] == " demo  Saved  ")
  }

  @Test("Changes on their way are counted, with the reason why they are not saved")
  func connection() {
    func words(_ assign: (inout RoomFrame) -> Void) -> String { frame(assign).connectionWords }
    #expect(words { $0.unsent = 1 } == "Saving 1 change…" && words { $0.unsent = 2 } == "Saving 2 changes…")
    #expect(words { ($0.unsent, $0.delay) = (1, "The disk is full.") } == "Saving 1 change… The disk is full.")
    #expect(words { $0.delay = "The disk is full." } == "Saved")
    #expect(words { ($0.unsent, $0.isViewOnly) = (1, true) } == "View only")
    #expect(
      words { ($0.unsent, $0.connection) = (1, .reconnecting(seconds: nil)) }
        == "Reconnecting… your 1 change is kept while this runs."
    )
    #expect(words { $0.connection = .closed("Gone.") } == "Gone.")
  }

  @Test("The panel says what there is, what of it is shown, and that there is nothing")
  func lists() {
    let empty = panel(frame())
    #expect(Array(empty[0...6]) == ["People", "● Ann (you)", "", "Layers", "Nothing is drawn yet.", "", ""])
    #expect(Array(empty[33...34]) == ["Overlaps", "Nothing overlaps."])
    #expect(panel(frame { $0.isCrowded = true })[34] == "Too many to list.")
    let people = panel(
      frame {
        $0.people.append(RoomFrame.Person(name: "", color: Color(packed: 0), isFollowed: true))
        $0.unnamedCount = 40
      }
    )
    #expect(people[0] == "People 1–2 of 42" && people[2] == "● Someone · following")
    let layers = panel(
      frame {
        $0.layers = RoomFrame.Window(
          (0..<25).map { RoomFrame.Layer(name: "L\($0)", color: Color(packed: 0), isVisible: $0 != 1) },
          start: 5,
          count: 31
        )
      }
    )
    #expect(layers[3] == "Layers 6–31 of 31" && layers[4] == "■ L0 ●" && layers[5] == "■ L1 ○")
    let overlaps = panel(
      frame {
        $0.overlaps = RoomFrame.Window(
          [nil, 0, 1, 38, 100].map { RoomFrame.Overlap(first: "Sun", second: "Moon", percent: $0) },
          count: 5
        )
      }
    )
    let told = ["⚠ Sun × Moon", "⚠ Sun × Moon <1 %", "⚠ Sun × Moon 1 %", "⚠ Sun × Moon 38 %", "⚠ Sun × Moon 100 %"]
    #expect(Array(overlaps[29...34]) == ["Overlaps 5"] + told)
  }

  @Test("Of two long names that overlap, each has its share of the room, and the short one is whole")
  func longNames() {
    func told(_ first: String, _ second: String) -> String {
      panel(frame { $0.overlaps = RoomFrame.Window([RoomFrame.Overlap(first: first, second: second, percent: 38)]) })[
        34
      ]
    }
    let long = "A rounded rectangle of mine 71"
    #expect(told("Sun", long) == "⚠ Sun × A round…ine 71 38 %")
    #expect(told(long, "Sun") == "⚠ A round…ine 71 × Sun 38 %")
    let both = told(long, long)
    #expect(both.hasPrefix("⚠ A ro…") && both.hasSuffix(" 38 %") && both.split(separator: "…").count == 3)
  }

  @Test("A notice stands above the hole, or in the last row, and its kind is seen")
  func notices() {
    for (kind, color) in [
      (.plain, Theme.dark.raised), (.overlap, Theme.overlap), (.warning, Theme.dark.warning),
    ] as [(RoomFrame.Notice.Kind, Color)] {
      for (hole, row) in [(nil, 34), (1, 28)] as [(Double?, Int)] {
        let screen = Gallery.screen(
          frame { ($0.notice, $0.scene.hole) = (RoomFrame.Notice("Look here", kind), hole) },
          columns: 120,
          rows: 36,
          .exact
        )
        #expect(screen.text(row: row).hasPrefix("  Look here "))
        #expect(screen[row, 2].background == ColorDepth.exact.ink(color) && screen[row, 2].style == .bold)
      }
    }
    let long = rows(frame { $0.notice = RoomFrame.Notice(String(repeating: "x", count: 200)) })[34]
    #expect(long.prefix(90).hasSuffix("x… ") && !long.dropFirst(90).contains("x"))
  }

  @Test("A line that is longer than the row is shown where one types")
  func prompt() {
    var line = LineEditor("abcdefghij", bytesMax: 100)
    #expect(line.window(columns: 11) == ("abcdefghij", 10) && line.window(columns: 10) == ("bcdefghij", 9))
    #expect(line.window(columns: 4) == ("hij", 3))
    _ = line.take(.key(.home, []))
    #expect(line.window(columns: 4) == ("abc…", 0))
    let wide = LineEditor("太陽太陽", bytesMax: 100)
    #expect(wide.window(columns: 5) == ("太陽", 4))
    let screen = Gallery.screen(
      frame { $0.prompt = RoomFrame.Prompt(label: "Name:", line: LineEditor("0123456789012345678901234567890")) },
      columns: 20,
      rows: 12,
      .exact
    )
    #expect(screen.text(row: 11) == " Name: 01234567890  " && screen.cursor == Screen.Place(row: 11, column: 18))
  }

  @Test("A replay's bar leads to its moments, as far as there is room for it")
  func timeline() {
    var timeline = Timeline(words: "demo", part: 0.5, isPlaying: true, speed: 0.125)
    #expect(timeline.tail == "  ×0.125 · ? keys " && timeline.head == " ▶ demo  ")
    timeline.speed = 2
    timeline.isPlaying = false
    #expect(timeline.tail == "  ×2 · ? keys " && timeline.head == " ❚❚ demo  ")
    // The head takes 10 columns and the tail 14.
    for (column, part) in [(9, nil), (10, 0), (15, 0.5), (20, 1), (21, nil)] as [(Int, Double?)] {
      #expect(timeline.part(atColumn: column, columns: 35) == part)
    }
    #expect(timeline.bar(columns: 28, start: 10) == 10..<14 && timeline.bar(columns: 27, start: 10) == nil)
    func row(_ part: Double, columns: Int) -> String {
      timeline.part = part
      return rows(frame { $0.timeline = timeline }, columns: columns)[35]
    }
    #expect(
      row(0, columns: 28) == " ❚❚ demo  ●───  ×2 · ? keys " && row(1, columns: 28) == " ❚❚ demo  ━━━●  ×2 · ? keys "
    )
    #expect(row(7, columns: 28) == row(1, columns: 28) && row(-7, columns: 28) == row(0, columns: 28))
    #expect(row(0.5, columns: 27) == " ❚❚ demo  " + "   " + "  ×2 · ? keys ")
  }

  @Test("The rows of the panel are shared out, and no list is without a row")
  func layout() {
    let full = RoomLayout(columns: 120, rows: 36, peopleCount: 50, overlapCount: 900)
    #expect(full.people == 1..<8 && full.layers == 10..<24 && full.overlaps == 26..<35)
    let few = RoomLayout(columns: 120, rows: 36, peopleCount: 2, overlapCount: 1)
    #expect(few.people == 1..<3 && few.layers == 5..<32 && few.overlaps == 34..<35)
    let past = RoomLayout(columns: 120, rows: 36, peopleCount: 0, overlapCount: 0)
    #expect(past.people.isEmpty && past.layers == 1..<32 && past.overlaps == 34..<35)
    #expect(few.canvasColumns == 90 && few.canvasRows == 35)
    for (columns, rows, wants, has) in [
      (96, 12, true, true), (95, 12, true, false), (96, 11, true, false), (96, 12, false, false),
    ] {
      #expect(RoomLayout(columns: columns, rows: rows, wantsPanel: wants).hasPanel == has)
    }
    for (row, column, part) in [
      (34, 89, .canvas), (35, 89, .status), (35, 100, .status), (0, 90, .panel), (1, 90, .person(0)),
      (2, 119, .person(1)),
      (4, 100, .panel), (5, 116, .layer(0)), (31, 117, .layerEye(26)), (33, 100, .panel), (34, 100, .overlap(0)),
    ] as [(Int, Int, RoomLayout.Part)] {
      #expect(few.part(row: row, column: column) == part, "\(row) \(column)")
    }
  }
}

@Suite("An operator's tables")
struct TableScreenTests {
  private func rooms(_ count: Int, _ assign: (inout RoomsScreen) -> Void = { _ in }) -> RoomsScreen {
    var table = RoomsScreen()
    table.server = "here"
    table.rooms = (0..<count).map {
      RoomsScreen.Row(room: "room-\($0)", shapes: $0, peers: 9 - $0, operations: 10, operationsPerSecond: 0.5)
    }
    assign(&table)
    return table
  }

  private func texts(_ table: RoomsScreen, rows: Int = 12) -> [String] {
    let screen = table.screen(columns: 80, rows: rows, theme: .dark, depth: .exact)
    return (0..<rows).map { screen.text(row: $0) }
  }

  @Test("A table that is too long shows the rooms around the selected one, and says which")
  func window() {
    for (selected, start, words) in [
      (0, 0, "1–7 of 9 rooms"), (3, 0, "1–7 of 9 rooms"), (4, 1, "2–8 of 9 rooms"), (8, 2, "3–9 of 9 rooms"),
    ] {
      let table = rooms(9) { $0.selected = selected }
      #expect(table.start(rows: 12) == start)
      #expect(texts(table)[0].hasPrefix(" here  \(words) ") && texts(table)[4].hasPrefix(" room-\(start) "))
      let screen = table.screen(columns: 80, rows: 12, theme: .dark, depth: .exact)
      let marked = (4..<11).filter { screen[$0, 79].background == ColorDepth.exact.ink(Theme.dark.raised) }
      #expect(marked == [4 + selected - start])
    }
    #expect(texts(rooms(7))[0].hasPrefix(" here  7 rooms ") && texts(rooms(1))[0].hasPrefix(" here  1 room "))
    #expect(RoomsScreen.capacity(rows: 3) == 0 && texts(rooms(2), rows: 5)[0].hasPrefix(" here  2 rooms "))
  }

  @Test("What is filtered is said, and so is that nothing is left")
  func filter() {
    #expect(texts(rooms(2) { $0.filter = "ro" })[0].hasPrefix(" here  2 rooms with “ro” "))
    #expect(texts(rooms(0) { $0.filter = "ro" })[4].hasPrefix(" No room has “ro” in its name."))
    #expect(texts(rooms(0))[4].hasPrefix(" Nobody has drawn anything yet."))
    #expect(!texts(rooms(0) { $0.trouble = "It is away." })[4].contains("Nobody"))
    let troubled = rooms(1) { ($0.trouble, $0.figures) = ("It is away.", ["1 connection"]) }
    #expect(texts(troubled)[1].hasPrefix(" It is away. ") && !texts(troubled)[1].contains("connection"))
    let typing = rooms(2) { $0.typedFilter = LineEditor("ro") }
    let screen = typing.screen(columns: 80, rows: 12, theme: .dark, depth: .exact)
    #expect(screen.text(row: 11).hasPrefix(" Rooms with: ro ") && screen.cursor == Screen.Place(row: 11, column: 15))
    #expect(texts(rooms(2))[11].hasPrefix(" ↑↓ choose"))
    let narrow = typing.screen(columns: 9, rows: 12, theme: .dark, depth: .exact)
    #expect(narrow.cursor == Screen.Place(row: 11, column: 8))
  }

  @Test("Each column sorts by its numbers, the largest first, and then by name")
  func order() {
    let rows = [
      RoomsScreen.Row(room: "b", shapes: 3, peers: 1, operations: 7, operationsPerSecond: 0),
      RoomsScreen.Row(room: "a", shapes: nil, peers: 2, operations: 9, operationsPerSecond: 0),
      RoomsScreen.Row(room: "c", shapes: 1, peers: 2, operations: 8, operationsPerSecond: 5),
    ]
    for (column, order) in [
      (.room, "abc"), (.shapes, "bca"), (.peers, "acb"), (.rate, "cab"), (.operations, "acb"),
    ] as [(RoomsScreen.Column, String)] {
      #expect(rows.sorted { column.isBefore($0, $1) }.map(\.room).joined() == order, "\(column)")
      let heading = texts(rooms(1) { $0.sortedBy = column })[3]
      let marked = column == .room ? "Room ▴" : column == .operations ? "▾Operations" : "▾ \(column.rawValue)"
      #expect(heading.contains(" \(marked) "))
    }
    for (column, heading) in [
      (0, nil), (1, .room), (30, .room), (31, .shapes), (42, .shapes), (43, .peers), (79, .operations),
    ]
      as [(Int, RoomsScreen.Column?)]
    {
      #expect(RoomsScreen.heading(row: 3, column: column, columns: 80) == heading, "\(column)")
    }
    #expect(RoomsScreen.heading(row: 4, column: 30, columns: 80) == nil)
  }

  @Test("The newest rates are small bars beside a room's rate, as high as they are beside the largest")
  func sparkline() {
    #expect(
      Sparkline.text(of: [0, 1, 4, 8], width: 6) == " ▁▄█" && Sparkline.text(of: [9, 0, 2, 2], width: 3) == " ██"
    )
    #expect(Sparkline.text(of: [0, 0], width: 6) == "  " && Sparkline.text(of: [], width: 6) == "")
    let row = texts(rooms(1) { $0.rooms[0].recentRates = [9, 1, 1, 1, 1, 1, 2] })[4]
    #expect(row.hasSuffix("  ▄▄▄▄▄█   1          10  "), "\(row)")
  }

  @Test("The people in a room are listed, with what the operator has done and is asked")
  func people() {
    var table = PeopleScreen(room: "demo")
    func texts(rows: Int = 10) -> [String] {
      let screen = table.screen(columns: 100, rows: rows, theme: .dark, depth: .exact)
      return (0..<rows).map { screen.text(row: $0) }
    }
    #expect(texts()[0].hasPrefix(" demo  0 people ") && texts()[4].hasPrefix(" Nobody is in this room."))
    #expect(texts()[9].contains("l locks the room"))
    table.people = (0..<9).map {
      PeopleScreen.Row(actor: "actor-\($0)", name: "Ann", role: "editor", token: "Ann's laptop", address: "127.0.0.1")
    }
    table.isLocked = true
    table.notice = "The room is locked."
    #expect(texts()[0].hasPrefix(" demo  9 people · locked ") && texts()[1].hasPrefix(" The room is locked."))
    #expect(texts()[3].split(separator: " ") == ["Actor", "Name", "Role", "Token", "Address"])
    #expect(texts()[4].split(separator: " ") == ["actor-0", "Ann", "editor", "Ann's", "laptop", "127.0.0.1"])
    #expect(texts()[9].contains("l unlocks the room"))
    for (selected, first) in [(0, 0), (2, 0), (3, 1), (8, 4)] {
      table.selected = selected
      #expect(texts()[4].hasPrefix(" actor-\(first) "))
      let screen = table.screen(columns: 100, rows: 10, theme: .dark, depth: .exact)
      #expect(
        (4..<9).filter { screen[$0, 99].background == ColorDepth.exact.ink(Theme.dark.raised) } == [
          4 + selected - first
        ]
      )
    }
    table.trouble = "It is away."
    table.question = "Remove Ann?"
    #expect(texts()[1].hasPrefix(" It is away.") && texts()[9].hasPrefix(" Remove Ann? "))
    table.people.removeLast(8)
    #expect(texts()[0].hasPrefix(" demo  1 person · locked "))
  }
}
