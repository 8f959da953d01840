import CanvasCRDT
import TerminalCanvas

/// `join`: the live canvas.
enum Join {
  static let command = Command(
    name: "join",
    group: .looking,
    operands: [.one("ROOM")],
    summary: "the live canvas: see everyone at work, and draw with them",
    details: [
      "Full screen, by keys and mouse; ? shows all keys. Colours as the terminal has them (COLORTERM, TERM, NO_COLOR). "
        + "Offline one goes on drawing; what was done is kept until the server is back, and then sent.",
      "Needs a terminal. For scripts there are watch, show and pipe.",
    ],
    options: [
      Option("--view", nil, "only look on"), Option("--light", nil, "for a light terminal, if it can't be asked"),
    ],
    examples: ["join demo", "join demo --name Ann --color E4572E", "join demo --view"]
  ) { invocation in
    let room = try invocation.room()
    let otherwise = "watch \(room.text) tells what happens, show \(room.text) shows the drawing"
    try ScreenHost.needsTerminal(invocation, or: otherwise)
    try await run(room, invocation, host: nil)
    return .success
  }

  /// - Parameter host: the screen, where one is open already.
  @ClientLoop
  static func run(_ room: RoomName, _ invocation: Invocation, host open: ScreenHost?) async throws {
    let host = open ?? ScreenHost()
    let isLight = invocation.arguments.has("--light") || host.terminalIsLight == true
    let live = LiveCanvas(invocation, room, host: host, theme: isLight ? .light : .dark)
    // Who can't be reached is told so in a line, not on another screen.
    try await live.client.join()
    if open == nil { try host.open(invocation.windowChanges) }
    defer { if open == nil { host.close() } }
    live.begin()
    do {
      try await host.run(live)
    } catch {
      await live.finish()
      throw error
    }
    await live.finish()
  }
}
