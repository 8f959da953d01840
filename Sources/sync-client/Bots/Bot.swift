import CanvasCRDT

/// One bot: a behaviour, a writer, and what has become of what it wrote.
@ClientLoop
final class Bot: WriterFollower {
  let name: Text
  private(set) var writer: RoomWriter!
  private var behaviour: BotBehaviour
  private let tally: BotTally

  /// When each unanswered group was handed over, and where it put what.
  private var pending: [UInt64: (microseconds: UInt64, operations: [ProposedOperation])] = [:]
  /// The last place of each shape that the server has acknowledged, and with which group. What was refused for now and
  /// sent again may be answered behind what was written after it, and is still the older.
  private var places: [Identifier: (number: UInt64, position: Point?)] = [:]
  private var dueAt: UInt64 = 0
  private var hasBegun = false

  /// A bot waits for answers rather than pile up what nobody has taken.
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

  /// Does what is due by now; `interval` is how far its moves are apart.
  func act(atMicroseconds now: UInt64, since beginning: UInt64, interval: UInt64) {
    guard hasBegun else {
      guard writer.submitter.state == .joined else { return }
      hasBegun = true
      submit(behaviour.begin(), at: now)
      // Bots that come together do not move together.
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
      // What was missed while the process slept is not made up for.
      if dueAt + 1_000_000 < now { dueAt = now }
    }
  }

  /// Takes its shapes away.
  func cleanUp(atMicroseconds now: UInt64) {
    guard hasBegun else { return }
    var set = Properties()
    set.delete()
    submit(behaviour.members.map { ProposedOperation(shape: $0.id, at: nil, set: set) }, at: now)
  }

  private func submit(_ operations: [ProposedOperation], at now: UInt64) {
    var rest = operations[...]
    // In messages as small as the server wants them.
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

  /// Where the server was last told that each shape is.
  var positions: [Identifier: Point] { places.compactMapValues { $0.position } }

  var isDone: Bool { writer.submitter.unansweredCount == 0 || writer.isClosedForGood }
  var unansweredCount: Int { pending.values.reduce(0) { $0 + $1.operations.count } }
}

/// What all bots of a process have done together.
@ClientLoop
final class BotTally {
  var written = 0
  var acknowledged = 0
  var refused: [RejectCode: Int] = [:]
  var superseded = 0
  var reconnects = 0
  /// Moves that were left out because answers were late.
  var heldBack = 0
  var latencies = LatencyHistogram()

  var refusedCount: Int { refused.values.reduce(0, +) }
}
