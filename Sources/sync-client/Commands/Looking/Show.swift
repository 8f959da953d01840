import CanvasCRDT

/// The command `show`, which prints a room's drawing once.
enum Show {
  static let command = Command(
    name: "show",
    group: .looking,
    operands: [.one("ROOM")],
    summary: "print what a room holds: a table, JSON or SVG",
    details: [
      "The table lists the shapes from back to front. For each it says which others it overlaps, and how much of the "
        + "smaller one is covered. With --json the drawing is one object, which import can read."
    ],
    options: [
      Option("--svg", nil, "print the drawing as SVG"),
      Option("--at", "TIME", "as it was: 2026-11-20T18:00 (Z for UTC), 10m (ago), or Unix milliseconds"),
      Option("--stamps", nil, "also say who changed each shape last, and when"),
    ],
    examples: [
      "show demo", "show demo --at 10m", "show demo --json | jq '.shapes[].name'", "show demo --svg > demo.svg",
    ]
  ) { invocation in
    let arguments = invocation.arguments
    let moment = try arguments.moment("--at")
    let room = try invocation.room()
    let requests = ServerRequests(server: invocation.server, tell: invocation.tell)
    try await RoomHistory.refuseFuture(moment, of: room, by: requests)
    let hasStamps = arguments.has("--stamps")
    let stored = try await StoredDrawing.fetch(room, by: requests, at: moment, stamps: hasStamps)
    let output = invocation.output
    if arguments.has("--svg") {
      output.write(bytes: Picture.svg(of: stored, room: room))
    } else if invocation.isJSON {
      output.write(json: stored.bytes)
    } else {
      let table = try ShapeTable(stored, stamps: hasStamps ? stored.newestStamps() : nil)
      for line in table.lines(for: output) { output.write(line) }
    }
    return .success
  }
}
