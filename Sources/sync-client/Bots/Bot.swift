import CanvasCRDT

/// One bot: its behaviour, a writer that sends its moves, and the server's answers.
@ClientLoop
final class Bot: WriterFollower {
  let name: Text
  private(set) var writer: RoomWriter!
  private var behaviour: BotBehaviour
  private let tally: BotTally

  /// The groups that the server has not answered, each with the time at which it was submitted.
  private var pending: [UInt64: (microseconds: UInt64, operations: [ProposedOperation])] = [:]
  /// The last acknowledged place of each shape, with the number of the group that wrote it. A group that was refused
  /// for now is sent again, so its answer may come after a later group's. The numbers then tell which place is newer.
  private var places: [Identifier: (number: UInt64, position: Point?)] = [:]
  private var dueAt: UInt64 = 0
  private var hasBegun = false

  /// A bot with this many unanswered groups makes no move until one is answered.
  static let unansweredMax = 64

  init(
    _ name: Text,
    _ behaviour: BotBehaviour,
    color: Color?,
    in room: RoomName,
    on server: ServerAddress,
    _ tally: BotTally
  ) {
    self.name = name
    self.behaviour = behaviour
    self.tally = tally
    let submitter = Submitter(name: name, color: color, seed: UInt64.random(in: 0...UInt64.max))
    writer = RoomWriter(server, room, submitter, follower: self)
  }

  /// Makes the moves that are due by now. `interval` is the time between two moves.
  func act(atMicroseconds now: UInt64, since beginning: UInt64, interval: UInt64) {
    guard hasBegun else {
      guard writer.submitter.state == .joined else { return }
      hasBegun = true
      submit(behaviour.begin(), at: now)
      // A random start, because otherwise bots that join together would move at the same instants.
      dueAt = now + UInt64.random(in: 0...interval)
      return
    }
    while dueAt <= now {
      if writer.submitter.unansweredCount >= Bot.unansweredMax {
        tally.heldBack += 1
      } else if let move = behaviour.move(atMilliseconds: (dueAt - min(beginning, dueAt)) / 1_000) {
        submit([move], at: now)
      }
      dueAt += interval
      // A process that slept skips the moves that it missed, instead of making them all at once.
      if dueAt + 1_000_000 < now { dueAt = now }
    }
  }

  /// Deletes the bot's shapes.
  func cleanUp(atMicroseconds now: UInt64) {
    guard hasBegun else { return }
    var set = Properties()
    set.delete()
    submit(behaviour.members.map { ProposedOperation(shape: $0.id, at: nil, set: set) }, at: now)
  }

  private func submit(_ operations: [ProposedOperation], at now: UInt64) {
    var rest = operations[...]
    // A room refuses messages beyond a limit, so the deletions are divided among several messages.
    let most = Int(
      clamping: min(writer.submitter.limits.operationsPerMessage, writer.submitter.limits.operationsPerSecond)
    )
    while !rest.isEmpty {
      let some = Array(rest.prefix(max(1, most)))
      rest = rest.dropFirst(some.count)
      tally.written += some.count
      pending[writer.submit(some)] = (now, some)
    }
  }

  // MARK: - Answers

  func answered(_ answer: WriterAnswer, by writer: RoomWriter) {
    guard let (began, operations) = pending.removeValue(forKey: answer.number) else { return }
    let now = Clocks.monotonicMicroseconds()
    switch answer.outcome {
    case .acknowledged(_, let superseded):
      tally.postponement = nil
      tally.acknowledged += operations.count
      tally.superseded += superseded.count
      tally.latencies.add(microseconds: now - began)
      for operation in operations where answer.number > places[operation.shape]?.number ?? 0 {
        places[operation.shape] = (answer.number, operation.set.deleted ? nil : operation.set.position)
      }
    case .refused(_, let code, _):
      tally.refused[code, default: 0] += operations.count
    }
  }

  func stateChanged(of writer: RoomWriter) {
    if writer.submitter.state == .joined, writer.submitter.joins > 1 { tally.reconnects += 1 }
  }

  func postponed(_ postponement: Postponement, by writer: RoomWriter) { tally.postponement = postponement }

  /// The last acknowledged place of each shape.
  var positions: [Identifier: Point] { places.compactMapValues { $0.position } }

  var isDone: Bool { writer.submitter.unansweredCount == 0 || writer.isClosedForGood }
  var unansweredCount: Int { pending.values.reduce(0) { $0 + $1.operations.count } }
}

/// Totals of all bots of a process.
@ClientLoop
final class BotTally {
  var written = 0
  var acknowledged = 0
  var refused: [RejectCode: Int] = [:]
  var superseded = 0
  var reconnects = 0
  /// The number of moves that were left out because too many groups were unanswered.
  var heldBack = 0
  var latencies = LatencyHistogram()
  /// Why the server can't store changes at present; `nil` again as soon as it can.
  var postponement: Postponement?

  var refusedCount: Int { refused.values.reduce(0, +) }
}
