import CanvasCRDT

/// The command `rooms`, which lists a server's rooms and figures.
enum Rooms {
  static let command = Command(
    name: "rooms",
    group: .operating,
    summary: "list a server's rooms: shapes, peers, operations a second, lag",
    details: [
      "Reads /v1/rooms and /metrics twice; rates are what changed in between. Lag is how long operations took from "
        + "their arrival at the server until they were sent to everyone, over all rooms: the median and the 99th "
        + "percentile. Without a token that may read the metrics, their figures are left out.",
      "The shapes are ? where the server doesn't know their number now: of a room that can't be opened, with the fault "
        + "beside it, or after a crash.",
    ],
    options: [Option("--over", "TIME", "the time between the two readings (default: 1s)")],
    examples: ["rooms", "rooms --over 10s --json | jq 'select(.peers > 0)'"]
  ) { invocation in
    let over = try invocation.arguments.milliseconds("--over") ?? 1_000
    let requests = ServerRequests(server: invocation.server, tell: invocation.tell)
    let first = try await ServerReading.take(by: requests)
    try await ClientLoop.pause(milliseconds: over)
    let second = try await ServerReading.take(by: requests, after: first)
    let rates = second.rates(since: first)
    if invocation.isJSON {
      for room in second.rooms { invocation.output.write { write(room, rates[room.room] ?? 0, to: &$0) } }
    } else {
      write(second, since: first, rates, to: invocation.output)
    }
    return .success
  }

  private static func write(_ room: RoomListing, _ rate: Double, to line: inout JSONWriter) {
    line.member("room", room.room)
    line.member("shapes", room.shapes)
    line.member("peers", room.peers)
    line.member("operations", room.operations)
    line.member("operationsPerSecond", (rate * 10).rounded() / 10)
    line.member("cursor", room.cursor)
    if let fault = room.fault { line.member("fault", fault) }
    if room.isUncounted { line.member("uncounted", true) }
  }

  private static func write(
    _ reading: ServerReading,
    since earlier: ServerReading,
    _ rates: [String: Double],
    to output: Output
  ) {
    var table = Table([
      .init(heading: "room", widthMax: 64), .init(heading: "shapes", isNumeric: true),
      .init(heading: "peers", isNumeric: true), .init(heading: "operations", isNumeric: true),
      .init(heading: "a second", isNumeric: true), .init(heading: "fault", widthMax: 200),
    ])
    // Busier rooms come first.
    let rooms = reading.rooms.sorted { left, right in
      let (one, other) = (rates[left.room] ?? 0, rates[right.room] ?? 0)
      return (one, left.peers, right.room) > (other, right.peers, left.room)
    }
    for room in rooms {
      let rate = rates[room.room] ?? 0
      table.add([
        .init(room.room, .strong), .init(room.knownShapes.map { "\($0)" } ?? "?"), .init("\(room.peers)"),
        .init("\(room.operations)"),
        .init(rate == 0 ? "–" : Figures.rounded(rate), rate == 0 ? .faint : .good),
        .init(room.fault ?? "", .bad),
      ])
    }
    if !rooms.isEmpty {
      for line in table.lines(for: output) { output.write(line) }
      output.write("")
    }
    let count = Figures.counted(rooms.count, "room")
    let figures = reading.figures?.words(since: earlier.figures, seconds: reading.seconds(since: earlier)) ?? []
    output.write(([count] + figures).joined(separator: "; ").printable)
  }
}
