import CanvasCRDT

/// The command `replay`, which plays back a room's history.
enum Replay {
  static let command = Command(
    name: "replay",
    group: .looking,
    operands: [.one("ROOM")],
    summary: "play a room's history back",
    details: [
      "Full screen. Space pauses, the arrows step, < and > change the speed, a click on the bar goes to that moment; "
        + "? shows all keys. TIME is 2026-11-20T18:00, 10m (ago) or Unix milliseconds.",
      "Without --from it begins with the oldest state that the server keeps. Without --speed it takes a minute at "
        + "most.",
      "Needs a terminal. In scripts, use show --at.",
    ],
    options: [
      Option("--speed", "TIMES", "how many times faster than it happened"),
      Option("--from", "TIME", "where to begin"),
      Option("--to", "TIME", "where to end"),
      Option("--light", nil, "for a light terminal, where the background can't be detected"),
    ],
    examples: ["replay demo", "replay demo --from 2h --speed 60"]
  ) { invocation in
    let room = try invocation.room()
    let speed = try invocation.arguments.number("--speed", in: 0.125...1_048_576, standard: 0)
    try ScreenHost.needsTerminal(invocation, or: "show \(room.text) --at TIME shows how it was")
    let span = try await ReplaySpan.find(
      room,
      by: ServerRequests(server: invocation.server, tell: invocation.tell),
      from: try invocation.arguments.moment("--from"),
      to: try invocation.arguments.moment("--to")
    )
    let host = ScreenHost()
    let replay = ReplayCanvas(invocation, room, span, speed: speed > 0 ? speed : span.speed, host: host)
    try await replay.begin()
    try host.open()
    defer { host.close() }
    try await host.run(replay)
    return .success
  }
}
