import CanvasCRDT

/// `clear`, `undo` and `redo`.
enum History {
  static let commands = [clear, undo, redo]

  private static let clear = Command(
    name: "clear",
    group: .editing,
    operands: [.one("ROOM")],
    summary: "delete all shapes; undo brings them back",
    examples: ["clear demo"]
  ) { invocation in
    let session = try await EditSession.open(invocation)
    guard session.canvas.liveCount > 0 else { throw await session.fail("\(session.client.room.text) is empty") }
    return try await session.commit { replica, now in replica.clear(at: now) }
  }

  private static let undo = Command(
    name: "undo",
    group: .editing,
    operands: [.one("ROOM")],
    summary: "take back the last edit that was made from here",
    details: [
      "Your own edits only, the newest first: those made by commands of this account on this machine, one after the "
        + "other. What somebody else has changed since stays as they made it."
    ],
    options: [Option("--steps", "N", "so many at once (1)")],
    examples: ["undo demo", "undo demo --steps 3"]
  ) { invocation in
    try await step(invocation, "undo") { $0.undo(at: $1) }
  }

  private static let redo = Command(
    name: "redo",
    group: .editing,
    operands: [.one("ROOM")],
    summary: "do again what undo took back",
    options: [Option("--steps", "N", "so many at once (1)")],
    examples: ["redo demo"]
  ) { invocation in
    try await step(invocation, "redo") { $0.redo(at: $1) }
  }

  @ClientLoop
  private static func step(
    _ invocation: Invocation,
    _ word: String,
    _ take: (inout Replica, Moment) -> [ReplicaEffect]
  ) async throws -> ExitCode {
    let steps = try invocation.arguments.integer("--steps", in: 1...1_000, standard: 1)
    let session = try await EditSession.open(invocation)
    let room = session.client.room.text
    return try await session.commit { replica, now in
      var effects: [ReplicaEffect] = []
      var isAny = false
      for _ in 0..<steps {
        let next = take(&replica, now)
        let isChange = next.contains { effect in
          if case .changed = effect { return true }
          return false
        }
        effects += next
        guard isChange else { break }
        isAny = true
      }
      guard isAny else { throw ClientFailure.failed("there is nothing to \(word) in \(room)") }
      return effects
    }
  }
}
