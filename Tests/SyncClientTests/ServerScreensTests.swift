import TerminalCanvas
import TestSupport
import Testing

@testable import CanvasCRDT
@testable import WebSocketLoop
@testable import sync_client

/// The full screens that ask a server: `top`, who is in a room, and `replay`.
@Suite struct ServerScreensTests {
  private let size = Terminal.Size(columns: 100, rows: 12, aspect: 2)

  private func asking(_ address: ServerAddress, _ words: String...) throws -> Invocation {
    let environment = ["CANVAS_SERVER": "ws://\(address.authority)", "TERM": "xterm", "COLORTERM": "truecolor"]
    return try invocation(words, environment)
  }

  private func texts(_ screen: Screen) -> [String] { (0..<screen.rows).map { screen.text(row: $0) } }

  /// The first words of the table's rows.
  private func rooms(_ screen: Screen) -> [String] {
    texts(screen)[4..<11].compactMap { $0.split(separator: " ").first.map(String.init) }
  }

  private let listing = """
    {"rooms":[{"room":"alpha","shapes":3,"peers":1,"operations":9},{"room":"Beta","shapes":7,"peers":0,"operations":8},
    {"room":"gamma","shapes":5,"peers":2,"operations":7},{"room":"torn","fault":"it is damaged","operations":1}]}
    """

  @Test @ClientLoop func `The table of rooms is sorted, filtered, and led through by keys and by the mouse`()
    async throws
  {
    let server = AnsweringServer()
    let (listener, address) = try server.listen()
    defer { listener.close() }
    server.answer("GET /v1/rooms", listing)
    server.answer("GET /metrics", "canvas_connections 3\n")
    let table = RoomsTable(try asking(address, "top"), host: ScreenHost(), intervalMilliseconds: 3_600_000)
    try await table.begin()
    defer { table.stop() }
    func press(_ key: Key, _ modifiers: Modifiers = []) { table.take(.key(key, modifiers)) }
    func shown() -> [String] { texts(table.screen(size)) }
    func order() -> [String] { rooms(table.screen(size)) }
    /// The room whose row is marked.
    func marked() -> String? {
      let screen = table.screen(size)
      let row = (4..<11).first { screen[$0, 99].background == ColorDepth.exact.ink(Theme.dark.raised) }
      return row.flatMap { screen.text(row: $0).split(separator: " ").first.map(String.init) }
    }
    func chosen() -> String {
      switch table.choice {
      case .leave: "nothing"
      case .open(let room): "the room \(room)"
      case .people(let room): "the people of \(room)"
      }
    }
    #expect(server.asked == ["GET /v1/rooms", "GET /metrics"] && shown()[1].hasPrefix(" 3 connections "))
    #expect(order() == ["Beta", "alpha", "gamma", "torn"] && marked() == "Beta")
    for (key, expected) in [
      ("n", ["Beta", "alpha", "gamma", "torn"]), ("s", ["Beta", "gamma", "alpha", "torn"]),
      ("p", ["gamma", "alpha", "Beta", "torn"]), ("t", ["alpha", "Beta", "gamma", "torn"]),
      ("o", ["Beta", "alpha", "gamma", "torn"]),
    ] as [(Unicode.Scalar, [String])] {
      press(.character(key))
      #expect(order() == expected && marked() == "Beta", "the same room stays selected")
    }
    for (key, room) in [
      (.down, "alpha"), (.end, "torn"), (.down, "torn"), (.up, "gamma"), (.pageUp, "Beta"), (.up, "Beta"),
      (.pageDown, "torn"),
      (.home, "Beta"),
    ] as [(Key, String)] {
      press(key)
      #expect(marked() == room)
    }
    table.take(.mouse(Mouse(.wheelDown, .none, row: 5, column: 5)))
    #expect(marked() == "torn")
    table.take(.mouse(Mouse(.wheelUp, .none, row: 5, column: 5)))
    #expect(marked() == "Beta")
    // The filter applies while it is typed. Enter keeps it, and Escape takes it away.
    press(.character("/"))
    for key in "ET".unicodeScalars { press(.character(key)) }
    #expect(order() == ["Beta"] && shown()[11].hasPrefix(" Rooms with: ET"))
    press(.enter)
    #expect(order() == ["Beta"] && shown()[0].contains("1 room with “ET”"))
    press(.character("/"))
    press(.escape)
    #expect(order().count == 4)
    press(.character("/"))
    table.take(.paste("zzz"))
    #expect(shown()[4].hasPrefix(" No room has “zzz”"))
    press(.enter)
    press(.enter)
    press(.escape)
    #expect(order().count == 4, "where nothing is selected, nothing is opened")
    #expect(chosen() == "nothing")
    // A click on a heading sorts, one on a room selects it, and a second one opens it. ScreenHost's size is 80 × 24.
    table.take(.mouse(Mouse(.press, .left, row: 3, column: 33)))
    #expect(order() == ["Beta", "gamma", "alpha", "torn"])
    for row in [2, 9, 23] { table.take(.mouse(Mouse(.press, .left, row: row, column: 5))) }
    table.take(.mouse(Mouse(.press, .left, row: 5, column: 5)))
    #expect(chosen() == "nothing")
    #expect(marked() == "gamma")
    table.take(.mouse(Mouse(.press, .left, row: 5, column: 5)))
    #expect(chosen() == "the room gamma")
    press(.character("w"))
    #expect(chosen() == "the people of gamma")
    table.refuse(.failed("it\u{7} is full"))
    #expect(shown()[1].hasPrefix(" it  is full "))
    press(.left)
    #expect(shown()[1].hasPrefix(" 3 connections "))
    table.take(.background(red: 255, green: 255, blue: 255))
    #expect(table.screen(size)[6, 99].background == ColorDepth.exact.ink(Theme.light.paper))
  }

  @Test @ClientLoop func `Metrics that were refused are not asked for again, and a list that is none is told`()
    async throws
  {
    let server = AnsweringServer()
    let (listener, address) = try server.listen()
    defer { listener.close() }
    let requests = ServerRequests(server: address)
    server.answer("GET /v1/rooms", listing)
    server.answer("GET /metrics", #"{"error":{"code":"forbidden","message":"no"}}"#, status: 403)
    let first = try await ServerReading.take(by: requests)
    #expect(first.figures == nil && !first.mayReadFigures && first.rooms.count == 4)
    _ = try await ServerReading.take(by: requests, after: first)
    #expect(server.asked == ["GET /v1/rooms", "GET /metrics", "GET /v1/rooms"])
    server.answer("GET /metrics", "busy", status: 500)
    let later = try await ServerReading.take(by: requests)
    #expect(later.figures == nil && later.mayReadFigures)
    server.answer("GET /v1/rooms", "{}")
    await #expect(throws: ClientFailure.failed("\(address.authority): the list of rooms is malformed")) {
      try await ServerReading.take(by: requests)
    }
  }

  @Test @ClientLoop func `What a server refuses is told with the room, the words of the server and its code`()
    async throws
  {
    let server = AnsweringServer()
    let (listener, address) = try server.listen()
    defer { listener.close() }
    let there = address.authority
    for (status, body, failure) in [
      (401, "", .couldNotConnect("demo on \(there): \(ConnectionWords.noToken)", code: "no_token")),
      (
        401, #"{"error":{"message":"it ended"}}"#,
        .couldNotConnect("demo on \(there): \(ConnectionWords.noToken): it ended", code: "no_token")
      ),
      (403, "", .couldNotConnect("\(there): this token doesn't give access to room demo", code: "forbidden")),
      (
        403, #"{"error":{"code":"not_operator","message":"no"}}"#,
        .couldNotConnect("\(there): no", code: "not_operator")
      ),
      (
        404, #"{"error":{"code":"no_such_room","message":"nobody"}}"#,
        .failed("demo on \(there): nobody", code: "no_such_room")
      ),
      (503, "", .failed("demo on \(there): HTTP status 503", code: "failed")),
      (300, "", .failed("demo on \(there): HTTP status 300", code: "failed")),
    ] as [(Int, String, ClientFailure)] {
      server.answer("GET /v1/rooms/demo", body, status: status)
      await #expect(throws: failure) { try await ServerRequests(server: address).get("/v1/rooms/demo", of: "demo") }
    }
    server.answer("GET /v1/rooms/demo", "", status: 404)
    await #expect(throws: ClientFailure.failed("\(there): HTTP status 404")) {
      try await ServerRequests(server: address).get("/v1/rooms/demo")
    }
    server.answer("DELETE /v1/rooms/demo", "", status: 204)
    #expect(try await ServerRequests(server: address).send("DELETE", "/v1/rooms/demo").status == 204)
    listener.close()
    await #expect(throws: ClientFailure.couldNotConnect("\(there): no server answers there")) {
      try await ServerRequests(server: address).get("/v1/rooms/demo")
    }
  }

  @Test @ClientLoop func `An operator removes a person only after a question, and locks or unlocks the room`()
    async throws
  {
    let server = AnsweringServer()
    let (listener, address) = try server.listen()
    defer { listener.close() }
    func people(_ names: [String], isLocked: Bool) {
      let rows = names.map {
        #"{"actor":"\#($0)-000-000","name":"\#($0)\u0007","role":"editor","address":"127.0.0.1"}"#
      }
      server.answer("GET /v1/rooms/demo/peers", #"{"locked":\#(isLocked),"peers":[\#(rows.joined(separator: ","))]}"#)
    }
    people(["ann", "bob", "cat"], isLocked: false)
    let table = PeopleTable(try asking(address, "top"), try RoomName("demo"), host: ScreenHost())
    await table.begin()
    // It doesn't ask by itself.
    table.stop()
    func press(_ key: Key) { table.take(.key(key, [])) }
    func shown() -> [String] { texts(table.screen(size)) }
    func removals() -> [String] { server.asked.filter { !$0.hasPrefix("GET") } }
    #expect(shown()[0].hasPrefix(" demo  3 people ") && shown()[4].hasPrefix(" ann-000-000  ann  "))
    for (key, asked) in [(.up, "ann"), (.down, "bob"), (.end, "cat"), (.down, "cat"), (.home, "ann")] as [(Key, String)]
    {
      press(key)
      press(.character("x"))
      #expect(shown()[11].hasPrefix(" Remove \(asked)  from demo? y removes"), "\(shown()[11])")
      press(.character("n"))
      #expect(shown()[11].contains("x removes"))
    }
    #expect(removals().isEmpty)
    server.answer("DELETE /v1/rooms/demo/peers/bob-000-000", "", status: 204)
    press(.down)
    press(.delete)
    people(["cat", "ann"], isLocked: false)
    press(.character("y"))
    await waitUntil("the person is removed") { shown()[1].contains("bob-000-000 was removed.") }
    #expect(removals() == ["DELETE /v1/rooms/demo/peers/bob-000-000"] && shown()[0].contains("2 people"))
    server.answer("PUT /v1/rooms/demo/lock", "", status: 204)
    people(["cat", "ann"], isLocked: true)
    press(.character("l"))
    await waitUntil("the room is locked") { shown()[1].contains("The room is locked.") }
    #expect(shown()[0].contains("2 people · locked") && removals().last == "PUT /v1/rooms/demo/lock")
    server.answer(
      "DELETE /v1/rooms/demo/lock",
      #"{"error":{"code":"not_operator","message":"you may not"}}"#,
      status: 403
    )
    press(.character("l"))
    await waitUntil("it is refused") { shown()[1].contains("you may not") }
    #expect(shown()[0].contains("locked"))
    // A server that doesn't answer is told instead, until it does. What was said of a lock ends with the lock.
    server.answer("GET /v1/rooms/demo/peers", "", status: 500)
    await table.begin()
    #expect(shown()[1].contains("HTTP status 500") && shown()[0].contains("2 people · locked"))
    for (isLocked, isTold) in [(true, true), (false, false)] {
      people(["cat", "ann"], isLocked: isLocked)
      await table.begin()
      #expect(shown()[1].contains("you may not") == isTold && shown()[0].contains("locked") == isLocked)
    }
  }

  @Test @ClientLoop func `A replay shows the moment that one goes to, and goes on from there`() async throws {
    let server = AnsweringServer()
    let (listener, address) = try server.listen()
    defer { listener.close() }
    let drawing =
      #"{"shapes":[{"id":"afy-kw5-t7o","kind":"rectangle","name":"Box","position":[0,0],"size":[300,200]}]}"#
    server.answer("GET /v1/rooms/demo", drawing)
    let (from, to) = (1_763_650_000_000, 1_763_655_000_000) as (UInt64, UInt64)
    let replay = ReplayCanvas(
      try asking(address, "replay", "demo"),
      try RoomName("demo"),
      ReplaySpan(from: from, to: to),
      speed: 0.125,
      host: ScreenHost()
    )
    try await replay.begin()
    #expect(server.asked == ["GET /v1/rooms/demo?at=\(to)", "GET /v1/rooms/demo?at=\(from)"])
    func status() -> String { replay.screen(size).text(row: 11) }
    func press(_ key: Key, _ modifiers: Modifiers = []) { replay.take(.key(key, modifiers)) }
    func isAt(_ seconds: UInt64, _ sign: String = "❚❚") -> Bool {
      status().hasPrefix(" \(sign) demo  \(TimeWords.shown(from + 1_000 * seconds))  ")
    }
    #expect(status().hasPrefix(" ▶ demo  ") && status().contains("×0.125") && replay.moves)
    press(.character(" "))
    press(.home)
    #expect(isAt(0) && texts(replay.screen(size)).contains { $0.contains("Box") })
    // A step is a fiftieth of the whole.
    for (key, seconds) in [
      (.right, 100), (.right, 200), (.left, 100), (.end, 5_000), (.right, 5_000), (.left, 4_900), (.home, 0),
      (.left, 0),
    ] as [(Key, UInt64)] {
      press(key)
      #expect(isAt(seconds), "\(key) \(status())")
    }
    for (key, speed) in [(">", "0.25"), (".", "0.5"), ("<", "0.25"), (",", "0.125"), ("<", "0.125")]
      as [(Unicode.Scalar, String)]
    {
      press(.character(key))
      #expect(status().contains("×\(speed) "))
    }
    // A click on the bar leads to its moment, and elsewhere to none.
    let bar = status().firstIndex(of: "●").map { status().distance(from: status().startIndex, to: $0) }!
    let last = status().lastIndex(of: "─").map { status().distance(from: status().startIndex, to: $0) }!
    replay.take(.mouse(Mouse(.press, .left, row: 11, column: last)))
    #expect(isAt(5_000))
    replay.take(.mouse(Mouse(.press, .left, row: 11, column: bar - 1)))
    #expect(isAt(5_000))
    replay.take(.mouse(Mouse(.drag, .left, row: 11, column: bar)))
    #expect(isAt(0))
    replay.take(.mouse(Mouse(.press, .left, row: 5, column: last)))
    #expect(isAt(0))
    // The view is led and zoomed, and 0 brings all of the drawing back.
    let fill = ColorDepth.exact.ink(Properties().fill)
    func box() -> (bottom: Int, left: Int, cells: Int) {
      let screen = replay.screen(size)
      var (bottom, left, cells) = (0, 99, 0)
      for row in 0..<11 {
        for column in 0..<70 where screen[row, column].background == fill {
          (bottom, left, cells) = (row, min(left, column), cells + 1)
        }
      }
      return (bottom, left, cells)
    }
    func zoom(_ nearer: Bool, byWheel: Bool) {
      if byWheel {
        replay.take(.mouse(Mouse(nearer ? .wheelUp : .wheelDown, .none, row: 5, column: 35)))
      } else {
        press(.character(nearer ? "+" : "-"))
      }
    }
    let whole = box()
    press(.down)
    #expect(box().bottom < whole.bottom && box().left == whole.left)
    press(.up)
    press(.right, .shift)
    #expect(box().bottom == whole.bottom && box().left < whole.left)
    press(.left, .shift)
    #expect(box() == whole)
    for byWheel in [false, true] {
      zoom(true, byWheel: byWheel)
      #expect(box().cells > whole.cells)
      for _ in 0..<2 { zoom(false, byWheel: byWheel) }
      #expect(box().cells < whole.cells)
      press(.character("0"))
      #expect(box() == whole)
    }
    for hasPanel in [false, true] {
      press(.character("g"))
      #expect(texts(replay.screen(size)).contains { $0.contains("Layers") } == hasPanel)
    }
    for (theme, event) in [
      (.light, .key(.character("t"), [])), (.dark, .key(.character("t"), [])),
      (.light, .background(red: 255, green: 255, blue: 255)),
    ] as [(Theme, TerminalEvent)] {
      replay.take(event)
      #expect(replay.screen(size)[5, 0].background == ColorDepth.exact.ink(theme.paper))
    }
    // Played to its end, it begins anew.
    press(.end)
    press(.character(" "))
    #expect(status().hasPrefix(" ▶ demo  \(TimeWords.shown(from))"))
    press(.character(" "))
    press(.end)
    server.answer("GET /v1/rooms/demo", #"{"error":{"code":"gone","message":"it is\u0007 gone"}}"#, status: 404)
    press(.home)
    await waitUntil("the failure is told") { texts(replay.screen(size)).contains { $0.contains("it is  gone") } }
    press(.character("?"))
    #expect(texts(replay.screen(size)).contains { $0.contains("slower, faster") })
    press(.character(" "))
    #expect(status().hasPrefix(" ❚❚ "), "the key only hides the help")
  }
}
