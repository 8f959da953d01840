import CanvasCRDT

/// `show`: what a room holds, once.
enum Show {
  static let command = Command(
    name: "show",
    group: .looking,
    operands: [.one("ROOM")],
    summary: "what a room holds: a table in drawing order, a drawing, a picture",
    details: [
      "The table lists the shapes from the back to the front, and for each which others it overlaps and how much of the "
        + "smaller of the two is covered. With --json the whole drawing is one object, which import takes again."
    ],
    options: [
      Option("--svg", nil, "the picture, as SVG"),
      Option("--at", "TIME", "as it was: 2026-11-20T18:00 (Z for UTC), 10m (ago), or Unix milliseconds"),
      Option("--stamps", nil, "who wrote to each shape last, and when"),
    ],
    examples: [
      "show demo", "show demo --at 10m", "show demo --json | jq '.shapes[].name'", "show demo --svg > demo.svg",
    ]
  ) { invocation in
    let arguments = invocation.arguments
    let moment = try arguments.moment("--at")
    let room = try invocation.room()
    let hasStamps = arguments.has("--stamps")
    let stored = try await StoredDrawing.fetch(room, from: invocation.server, at: moment, stamps: hasStamps)
    let output = invocation.output
    if arguments.has("--svg") {
      output.write(bytes: Picture.svg(of: stored, room: room))
    } else if invocation.isJSON {
      output.write(bytes: stored.bytes + [UInt8(ascii: "\n")])
    } else {
      let table = ShapeTable(stored, stamps: hasStamps ? stored.newestStamps() : nil)
      for line in table.lines(for: output) { output.write(line) }
    }
    return .success
  }
}
