import CanvasCRDT
import TerminalCanvas

/// The command `join`, which shows a room's live canvas on the full screen.
enum Join {
  static let command = Command(
    name: "join",
    group: .looking,
    operands: [.one("ROOM")],
    summary: "the live canvas: watch everyone draw, and draw with them",
    details: [
      "Full screen, with keys and mouse; ? shows all keys. It uses as many colours as the terminal has (COLORTERM, "
        + "TERM, NO_COLOR). You can draw while offline: changes are kept while this runs, and sent when the server is back.",
      "Needs a terminal. In scripts, use watch, show and pipe.",
    ],
    options: [
      Option("--view", nil, "look only; edit nothing"),
      Option("--light", nil, "for a light terminal, where the background can't be detected"),
    ],
    examples: ["join demo", "join demo --name Ann --color E4572E", "join demo --view"]
  ) { invocation in
    let room = try invocation.room()
    let otherwise = "watch \(room.text) tells what happens, show \(room.text) shows the drawing"
    try ScreenHost.needsTerminal(invocation, or: otherwise)
    try await run(room, invocation, host: nil)
    return .success
  }

  /// - Parameter host: the full screen, if it is open already.
  @ClientLoop
  static func run(_ room: RoomName, _ invocation: Invocation, host open: ScreenHost?) async throws {
    let host = open ?? ScreenHost()
    let isLight = invocation.arguments.has("--light") || host.terminalIsLight == true
    let live = LiveCanvas(invocation, room, host: host, theme: isLight ? .light : .dark)
    defer { if open == nil { host.close() } }
    do {
      // Joins before the full screen opens, so that an error message stays visible.
      try await live.client.join { if open == nil { invocation.tell($0) } }
      if open == nil { try host.open() }
    } catch {
      await live.finish()
      throw error
    }
    live.begin()
    // A signal that ends it is looked at below.
    try? await host.run(live)
    let isGone = host.isLost || Task.isCancelled
    let losses = isGone ? await saveRest(of: live) : []
    await live.finish()
    for words in losses { invocation.output.complain("not_saved", words) }
    if Task.isCancelled { throw CancellationError() }
    guard losses.isEmpty else { throw ClientFailure.failed("the terminal is gone") }
  }

  /// Saves what it can, because the terminal is gone or a signal ends the command, and nobody can be asked any more.
  /// - Returns: what is lost, in words. Texts are said whole, so that they can be written again.
  @ClientLoop
  private static func saveRest(of live: LiveCanvas) async -> [String] {
    live.host.close()
    let typed = live.typed
    live.writeOpenField()
    // A new task, because this one may be cancelled.
    await Task { @ClientLoop in _ = await live.client.settle(withinMilliseconds: 5_000) { _ in } }.value
    let unsent = live.client.replica.unsentCount
    let changes = unsent > 0 ? ["\(Figures.counted(unsent, "change")) could not be saved"] : []
    let written = unsent > 0 && live.prompt == nil ? typed : []
    return changes + (written + live.unwritten).map { "this could not be written: \($0)" }
  }
}
