import Basics
import CanvasCRDT
import WebSocketLoop

/// Starts all bots of a process, makes their moves at the right times, and stops them.
@ClientLoop
final class BotCrowd {
  let bots: [Bot]
  let tally: BotTally
  private let interval: UInt64
  /// When the bots began to move, or to join if none has moved yet.
  private var beginning = SteadyClock.microseconds()
  private var isWorking = false
  private(set) var workedMicroseconds: UInt64 = 0
  /// Why the server has refused a bot for good.
  private(set) var refusal: ClientFailure?

  /// The period of the timer that makes all due moves. It is the interval between two moves at the highest `--rate`,
  /// 200 a second.
  private static let tickMilliseconds: UInt64 = 5

  init(_ bots: [Bot], _ tally: BotTally, perSecond: Double) {
    self.bots = bots
    self.tally = tally
    interval = UInt64((1_000_000 / perSecond).rounded())
  }

  /// Joins the room with all bots. Fails with the server's message if any bot is refused.
  func join(withinMilliseconds: UInt64, tell: (Delay) -> Void) async throws {
    try await bots[0].writer.join(withinMilliseconds: withinMilliseconds, tell: tell)
    for bot in bots.dropFirst() { bot.writer.start() }
    let deadline = SteadyClock.milliseconds() + withinMilliseconds
    for bot in bots {
      let now = SteadyClock.milliseconds()
      let end = await bot.writer.waiters.wait(withinMilliseconds: deadline > now ? deadline - now : 0) {
        bot.writer.submitter.joins > 0 || bot.writer.isClosedForGood
      }
      if end == .cancelled { throw CancellationError() }
      guard bot.writer.submitter.joins > 0 else {
        let inside = bots.count { $0.writer.submitter.joins > 0 }
        let words = "\(inside) of \(bots.count) bots got in; \(bot.writer.whyNot)"
        throw ClientFailure.couldNotConnect(words, code: bot.writer.errorCode)
      }
    }
  }

  /// Lets the bots move for `duration`. Ends earlier if the task is cancelled, or if the server has refused all bots for
  /// good. A single one may have been removed by an operator.
  func work(forMilliseconds duration: UInt64?, progress: (BotCrowd) -> Void) async {
    beginning = SteadyClock.microseconds()
    isWorking = true
    tick()
    let end = duration.map { beginning + $0 * 1_000 }
    while !Task.isCancelled, bots.contains(where: { !$0.writer.isClosedForGood }) {
      let now = SteadyClock.microseconds()
      if let end, now >= end { break }
      let pause = min(1_000_000, end.map { $0 - now } ?? 1_000_000)
      try? await ClientLoop.pause(milliseconds: pause / 1_000 + 1)
      progress(self)
    }
    isWorking = false
    workedMicroseconds = SteadyClock.microseconds() - beginning
  }

  private func tick() {
    guard isWorking else { return }
    let now = SteadyClock.microseconds()
    for bot in bots { bot.act(atMicroseconds: now, interval: interval) }
    ClientLoop.shared.loop.schedule(afterMilliseconds: BotCrowd.tickMilliseconds) { [self] in
      ClientLoop.assumeIsolated { tick() }
    }
  }

  /// Waits for the answers of all bots at the same time, and then leaves the room.
  ///
  /// - Parameter patience: the timeout in milliseconds. If the task is cancelled, the wait ends as soon as no answer
  ///   has come for a short time. Deletions are waited for longer.
  func finish(isCleaning: Bool, patience: UInt64) async {
    let now = SteadyClock.microseconds()
    if isCleaning { for bot in bots { bot.cleanUp(atMicroseconds: now) } }
    if !Task.isCancelled { await untilAnswered(withinMilliseconds: patience) }
    let isCancelled = Task.isCancelled
    // A new task, because this one might be cancelled already.
    await Task { @ClientLoop in
      if isCancelled {
        await untilSilent(for: isCleaning ? min(patience, BotCrowd.cleaningMilliseconds) : BotCrowd.silenceMilliseconds)
      }
      await leave(withinMilliseconds: isCancelled ? BotCrowd.silenceMilliseconds / 2 : 1_000)
    }.value
  }

  /// After an interrupt, the wait ends when no answer has come for this long. It is short, because the user wants to
  /// stop.
  private static let silenceMilliseconds: UInt64 = 400
  /// The same if the bots are to delete their shapes. It is longer than a server that is only busy keeps quiet, because
  /// nobody else would delete them.
  private static let cleaningMilliseconds: UInt64 = 5_000

  private func untilSilent(for milliseconds: UInt64) async {
    var before = Int.max
    while unansweredCount > 0, unansweredCount < before {
      before = unansweredCount
      await untilAnswered(withinMilliseconds: milliseconds)
    }
  }

  private func untilAnswered(withinMilliseconds: UInt64) async {
    await forAll { bot in
      _ = await bot.writer.waiters.wait(withinMilliseconds: withinMilliseconds) { bot.isDone }
    }
  }

  private func leave(withinMilliseconds: UInt64) async {
    for bot in bots { refusal = refusal ?? bot.writer.refusal }
    await forAll { bot in await bot.writer.leave(withinMilliseconds: withinMilliseconds) }
  }

  private func forAll(_ work: @escaping @ClientLoop @Sendable (Bot) async -> Void) async {
    await withTaskGroup(of: Void.self) { group in
      for bot in bots { group.addTask { await work(bot) } }
    }
  }

  var unansweredCount: Int { bots.reduce(0) { $0 + $1.unansweredCount } }
  var seconds: Double {
    let micros = workedMicroseconds > 0 ? workedMicroseconds : SteadyClock.microseconds() - beginning
    return Double(micros) / 1_000_000
  }
}
