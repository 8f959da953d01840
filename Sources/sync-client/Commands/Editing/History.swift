import CanvasCRDT

/// The commands `clear`, `undo` and `redo`.
enum History {
  static let commands = [clear, undo, redo]

  private static let clear = Command(
    name: "clear",
    group: .editing,
    operands: [.one("ROOM")],
    summary: "delete all shapes; undo brings them back",
    examples: ["clear demo"]
  ) { invocation in
    let editor = try await RoomEditor.open(invocation)
    guard editor.canvas.liveCount > 0 else { throw await editor.fail("\(editor.client.room.text) is empty") }
    return try await editor.commit { replica, now in replica.clear(at: now) }
  }

  private static let undo = Command(
    name: "undo",
    group: .editing,
    operands: [.one("ROOM")],
    summary: "take back your last edit",
    details: [
      "Only your own edits: those that commands of your account made on this machine, the newest first. What "
        + "somebody else has changed since stays as they left it."
    ],
    options: [
      Option("--steps", "N", "how many steps (default: 1)"),
      Option("--list", nil, "only list what each step would do, the newest first (default: 20 steps)"),
    ],
    examples: ["undo demo", "undo demo --steps 3", "undo demo --list"]
  ) { invocation in
    try await step(invocation, "undo") { $0.undo(at: $1) }
  }

  private static let redo = Command(
    name: "redo",
    group: .editing,
    operands: [.one("ROOM")],
    summary: "redo what undo took back",
    options: [
      Option("--steps", "N", "how many steps (default: 1)"),
      Option("--list", nil, "only list what each step would do (default: 20 steps)"),
    ],
    examples: ["redo demo", "redo demo --list"]
  ) { invocation in
    try await step(invocation, "redo") { $0.redo(at: $1) }
  }

  @ClientLoop
  private static func step(
    _ invocation: Invocation,
    _ word: String,
    _ take: (inout Replica, Moment) -> [ReplicaEffect]
  ) async throws -> ExitCode {
    let isListing = invocation.arguments.has("--list")
    let steps = try invocation.arguments.integer("--steps", in: 1...1_000, standard: isListing ? 20 : 1)
    let editor = try await RoomEditor.open(invocation)
    let room = editor.client.room.text
    guard editor.client.replica.role != .viewer else {
      await editor.client.leave()
      throw ClientFailure.failed("refused: \(EditReport.readOnly) (read_only)", code: "read_only")
    }
    let nothing = ClientFailure.failed("there is nothing to \(word) in \(room)")
    if isListing {
      let list = StepList(editor.client.replica, steps: steps, take)
      await editor.client.leave()
      guard !list.steps.isEmpty else { throw nothing }
      list.write(to: invocation)
      return .success
    }
    return try await editor.commit { replica, now in
      var effects: [ReplicaEffect] = []
      var taken = 0
      while taken < steps {
        let next = take(&replica, now)
        effects += next
        guard next.contains(where: { $0.changes != nil }) else { break }
        taken += 1
      }
      guard taken > 0 else { throw nothing }
      if taken < steps {
        invocation.output.notice("fewer_steps", "there was no more than \(Figures.counted(taken, "step")) to \(word)")
      }
      return effects
    }
  }
}

/// The next steps of undo or redo, found by carrying them out on a copy of the replica. Nothing is sent.
struct StepList {
  let steps: [[RoomEvent]]
  /// The total number of steps.
  let count: Int

  @ClientLoop
  init(_ replica: Replica, steps count: Int, _ take: (inout Replica, Moment) -> [ReplicaEffect]) {
    var replica = replica
    var ledger = RoomLedger(replica.canvas)
    let now = Moment.now()
    var steps: [[RoomEvent]] = []
    while steps.count < count {
      let changes = take(&replica, now).compactMap { $0.changes }
      guard !changes.isEmpty else { break }
      let events = changes.flatMap { ledger.take($0, by: .oneself, on: replica.canvas, at: now) }
      steps.append(events + ledger.due(at: now, isLast: true))
    }
    self.steps = steps
    var more = 0
    while steps.count == count, take(&replica, now).contains(where: { $0.changes != nil }) { more += 1 }
    self.count = steps.count + more
  }

  func write(to invocation: Invocation) {
    let output = invocation.output
    let lines = EventLines(output: output, isReport: true)
    let width = "\(steps.count)".count
    for (index, events) in steps.enumerated() {
      if invocation.isJSON {
        output.write { line in
          line.member("step", index + 1)
          line.write(events, as: "events")
        }
        continue
      }
      for (place, words) in lines.lines(events).enumerated() {
        let number = place == 0 ? "\(index + 1)" : ""
        let gap = String(repeating: " ", count: width - number.count)
        output.write("\(output.styled(gap + number, .faint))  \(words)")
      }
    }
    // This remark is for people only, because programs expect one step on each line.
    guard !invocation.isJSON, Output.isTerminal, count > steps.count else { return }
    output.write(output.styled("1–\(steps.count) of \(count); --steps lists more", .faint))
  }
}

extension ReplicaEffect {
  fileprivate var changes: [Change]? {
    if case .changed(let changes, by: .own) = self { return changes }
    return nil
  }
}
