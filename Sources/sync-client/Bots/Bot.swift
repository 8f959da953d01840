import Basics
import CanvasCRDT

/// A simulated user. It sends moves through a `RoomWriter`, and collects the server's answers.
@ClientLoop
final class Bot: WriterFollower {
  let name: Text
  private(set) var writer: RoomWriter!
  private var behaviour: BotBehaviour
  private let tally: BotTally

  /// The unanswered batches, each with its time of submission.
  private var pending: [UInt64: (microseconds: UInt64, operations: [ProposedOperation])] = [:]
  /// For each shape, the last acknowledged position, and the number of its batch. Answers can come out of order,
  /// because a batch that is refused temporarily is sent again. The numbers tell which position is newer.
  private var places: [Identifier: (number: UInt64, position: Point?)] = [:]
  private var dueAt: UInt64 = 0
  private var moveCount: UInt64 = 0
  private var hasBegun = false

  /// While this many batches are unanswered, a bot skips its moves.
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

  /// Makes all moves that are due. `interval` is the time between two moves.
  func act(atMicroseconds now: UInt64, interval: UInt64) {
    guard !writer.isClosedForGood else { return }
    guard hasBegun else {
      guard writer.submitter.state == .joined else { return }
      hasBegun = true
      submit(behaviour.begin(), at: now)
      // The first move comes after a random delay. Otherwise bots that join together would all move at the same
      // instants.
      dueAt = now + UInt64.random(in: 0...interval)
      return
    }
    while dueAt <= now {
      if writer.submitter.unansweredCount >= Bot.unansweredMax {
        tally.heldBack += 1
      } else {
        // The time of a move follows from its number, so that the same seed gives the same moves.
        moveCount += 1
        if let move = behaviour.move(atMilliseconds: moveCount * interval / 1_000) { submit([move], at: now) }
      }
      dueAt += interval
      // A bot that is more than a second late, for example after a sleep, skips the missed moves.
      if dueAt + 1_000_000 < now { dueAt = now }
    }
  }

  func cleanUp(atMicroseconds now: UInt64) {
    guard hasBegun else { return }
    var set = Properties()
    set.delete()
    submit(behaviour.members.map { ProposedOperation(shape: $0.id, at: nil, set: set) }, at: now)
  }

  private func submit(_ operations: [ProposedOperation], at now: UInt64) {
    var rest = operations[...]
    // The room limits the operations per message and per second, so a long list is sent in several messages.
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
    let now = SteadyClock.microseconds()
    switch answer.outcome {
    case .acknowledged(_, let superseded):
      tally.postponement = nil
      tally.acknowledged += operations.count
      tally.superseded += superseded.count
      tally.latencies.add(now - began)
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

  /// The last acknowledged position of each shape.
  var positions: [Identifier: Point] { places.compactMapValues { $0.position } }

  var isDone: Bool { writer.submitter.unansweredCount == 0 || writer.isClosedForGood }
  var unansweredCount: Int { pending.values.reduce(0) { $0 + $1.operations.count } }
}

/// Counts for all bots of the process.
@ClientLoop
final class BotTally {
  var written = 0
  var acknowledged = 0
  var refused: [RejectCode: Int] = [:]
  var superseded = 0
  var reconnects = 0
  /// The number of moves that were skipped because too many batches were unanswered.
  var heldBack = 0
  var latencies = Percentiles()
  /// Why the server can't store changes now. `nil` while it can.
  var postponement: Postponement?

  var refusedCount: Int { refused.values.reduce(0, +) }
}
