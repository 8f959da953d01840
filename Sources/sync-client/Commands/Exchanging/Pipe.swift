import CanvasCRDT

/// The command `pipe`, which reads operations from standard input and prints the answers.
enum Pipe {
  static let command = Command(
    name: "pipe",
    group: .exchanging,
    operands: [.one("ROOM")],
    summary: "read operations as JSON lines, write answers as JSON lines",
    details: [
      "A line is an operation, {\"shape\":\"afy-kw5-t7o\",\"set\":{\"position\":[1,2]}}, or several that are taken "
        + "together, {\"ops\":[…]}. Stamps are not needed. An operation without a shape makes one, and the answer "
        + "names it. If a line has an id, so has its answer.",
      "Each line is answered by {\"type\":\"ack\",\"line\":1,…} or "
        + "{\"type\":\"reject\",\"line\":1,\"code\":…,\"message\":…}. When --window lines are unanswered, no more "
        + "are read until the server has caught up. After a lost connection unanswered lines are sent again.",
      "Exit 0: all lines were accepted. Exit 1: at least one was not, or nobody reads the answers any more.",
    ],
    options: [
      Option("--window", "N", "how many lines may be unanswered (default: 64)"),
      Option("--patience", "TIME", "how long to wait for a server that went away (default: 60s)"),
    ],
    examples: [
      "pipe demo < operations.ndjson",
      "pipe demo <<< '{\"set\":{\"kind\":\"star\",\"name\":\"Sun\"}}'",
    ]
  ) { invocation in
    let window = try invocation.arguments.integer("--window", in: 1...10_000, standard: 64)
    let patience = try invocation.arguments.milliseconds("--patience") ?? 60_000
    let room = try invocation.room()
    let teller = PipeTeller(invocation.output)
    let submitter = Submitter(
      name: invocation.name ?? "Pipe",
      color: invocation.color,
      seed: UInt64.random(in: 0...UInt64.max)
    )
    let writer = RoomWriter(invocation.server, room, submitter, follower: teller)
    try await writer.join(tell: invocation.tell)
    let trouble = try await teller.run(writer, window: window, patience: patience)
    await writer.leave()
    if let trouble { throw trouble }
    return teller.isAllTaken ? .success : .failed
  }
}

@ClientLoop
final class PipeTeller: WriterFollower {
  private struct Pending {
    let line: Int
    let id: JSONText?
    let made: [Identifier]
  }

  private let output: Output
  private var pending: [UInt64: Pending] = [:]
  private var refusedCount = 0
  private var unansweredCount = 0
  private var answeredCount = 0
  private var hasGivenUp = false
  private var input: InputLines?

  init(_ output: Output) { self.output = output }

  var isAllTaken: Bool { refusedCount == 0 && unansweredCount == 0 }

  /// Runs until the input has ended and every batch is answered.
  ///
  /// - Returns: why it ended before that, if the task was cancelled, the server has refused the writer for good, or the
  ///   input couldn't be read.
  func run(_ writer: RoomWriter, window: Int, patience: UInt64) async throws -> (any Error)? {
    let input = try InputLines()
    self.input = input
    var generator = SystemRandomNumberGenerator()
    var watch = Task { await giveUp(writer, afterSilence: patience) }
    while !hasEnded(writer), let line = await input.next() {
      guard line.isCut || !line.bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) else { continue }
      do throws(PipeRefusal) {
        guard !line.isCut else {
          throw PipeRefusal(id: nil, operation: nil, code: "bad_message", message: "the line is longer than a megabyte")
        }
        let parsed = try PipeLine(line.bytes, using: &generator)
        guard await untilAnswered(writer, allBut: window - 1) == .fulfilled, !hasEnded(writer) else {
          unansweredCount += 1
          tell("unanswered", line.number, parsed.id) { _ in }
          break
        }
        // The answer never comes before `submit` returns, so `pending` can be filled afterwards.
        let number = writer.submit(parsed.operations)
        pending[number] = Pending(line: line.number, id: parsed.id, made: parsed.made)
        writer.waiters.check()
      } catch {
        refuse(error, line: line.number)
      }
    }
    // Even after a cancellation, answers that are on their way are awaited.
    let isCancelled = Task.isCancelled
    if isCancelled {
      watch.cancel()
      watch = Task { await giveUp(writer, afterSilence: 5_000) }
    }
    _ = await Task { await untilAnswered(writer, allBut: 0) }.value
    watch.cancel()
    for (_, left) in pending.sorted(by: { $0.key < $1.key }) {
      unansweredCount += 1
      tell("unanswered", left.line, left.id) { _ in }
    }
    guard isCancelled else { return writer.refusal ?? input.failure }
    guard Signals.isReaderGone else { return CancellationError() }
    return input.hasEnded
      ? nil : ClientFailure.failed("nobody reads the answers any more, so the rest of the lines was not sent")
  }

  /// Whether no more answers are to be expected.
  private func hasEnded(_ writer: RoomWriter) -> Bool { hasGivenUp || writer.isClosedForGood }

  /// Waits until at most `count` batches are unanswered, or no more answers are to be expected.
  private func untilAnswered(_ writer: RoomWriter, allBut count: Int) async -> WaitEnd {
    await writer.waiters.wait { [self] in writer.submitter.unansweredCount <= count || hasEnded(writer) }
  }

  /// Gives up when lines are unanswered and no answer has come for `patience`. A program may wait for its answer before
  /// it writes the next line, so the input ends then too.
  private func giveUp(_ writer: RoomWriter, afterSilence patience: UInt64) async {
    var end = WaitEnd.fulfilled
    while end == .fulfilled, !hasEnded(writer) {
      let before = answeredCount
      guard await writer.waiters.wait(until: { writer.submitter.unansweredCount > 0 }) == .fulfilled else { return }
      end = await writer.waiters.wait(withinMilliseconds: patience) { [self] in
        answeredCount > before || hasEnded(writer)
      }
    }
    guard end == .tooLate else { return }
    hasGivenUp = true
    input?.stop()
    writer.waiters.check()
  }

  // MARK: - Answers

  func answered(_ answer: WriterAnswer, by writer: RoomWriter) {
    answeredCount += 1
    guard let pending = pending.removeValue(forKey: answer.number) else { return }
    switch answer.outcome {
    case .acknowledged(let cursor, let superseded):
      tell("ack", pending.line, pending.id) { line in
        line.member("cursor", cursor.text)
        if !pending.made.isEmpty {
          line.key("shapes")
          line.beginArray()
          for shape in pending.made { line.value(shape) }
          line.endArray()
        }
        if !superseded.isEmpty { PipeTeller.write(superseded, to: &line) }
      }
    case .refused(let operation, let code, let message):
      refuse(
        PipeRefusal(
          id: pending.id,
          operation: operation,
          code: Text(code.wireName).string,
          message: message.string
        ),
        line: pending.line
      )
    }
  }

  func stateChanged(of writer: RoomWriter) {
    // A program may wait for its answer before it writes the next line.
    if writer.isClosedForGood { input?.stop() }
    guard writer.submitter.joins > 0 else { return }
    switch writer.submitter.state {
    case .waiting: output.notice("offline", "offline: \(writer.whyNot); trying again")
    case .joined where writer.submitter.joins > 1: output.notice("back", "back online")
    default: break
    }
  }

  func postponed(_ postponement: Postponement, by writer: RoomWriter) {
    output.notice(Text(postponement.code.wireName).string, "waiting: \(postponement.words)")
  }

  private func refuse(_ refusal: PipeRefusal, line: Int) {
    refusedCount += 1
    tell("reject", line, refusal.id) { line in
      if let operation = refusal.operation { line.member("op", operation) }
      line.member("code", refusal.code)
      line.member("message", refusal.message)
    }
  }

  private func tell(_ type: StaticString, _ number: Int, _ id: JSONText?, _ rest: (inout JSONWriter) -> Void) {
    output.write { line in
      line.key("type")
      line.value(type)
      line.member("line", number)
      if let id {
        line.key("id")
        line.value(id)
      }
      rest(&line)
    }
  }

  private static func write(_ superseded: [Superseded], to line: inout JSONWriter) {
    line.key("superseded")
    line.beginArray()
    for value in superseded {
      line.beginObject()
      line.member("op", value.operation)
      line.member("property", Text(value.property.wireName))
      line.key("by")
      line.value(value.by)
      line.endObject()
    }
    line.endArray()
  }
}
