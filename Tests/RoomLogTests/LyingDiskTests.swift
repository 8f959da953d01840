import TestSupport
import Testing

@testable import LogSupport
@testable import RoomLog

/// Together these tests cut the power 10,000 times. After each cut the log is opened again. It must have everything
/// that it acknowledged, accept appends, and pass `log verify`.
@Suite("A log on a disk that lies", .serialized)
struct LyingDiskTests {
  private let runs = DiskRuns()
  private let tally = DiskTally()

  #if DEBUG
    /// A debug build runs only one in this many histories, because each takes ten times as long without optimisation.
    private static let share = 20
  #else
    private static let share = 1
  #endif

  private typealias Steps = [DiskHistory.Step]

  private static func story(seed: UInt64, steps: Int) -> Steps {
    var random = SeededGenerator(seed: seed)
    let rooms = ["a", "b", "c"]
    return (0..<steps).map { _ in
      let room = rooms[Int.random(in: 0..<3, using: &random)]
      return switch Int.random(in: 0..<30, using: &random) {
      case 0..<8:
        .append(
          room: room,
          count: UInt32.random(in: 1...3, using: &random),
          bytes: [10, 200, 5_000, 20_000][Int.random(in: 0..<4, using: &random)]
        )
      case 8..<11: .snapshot(room: room)
      case 11: .damageSnapshot(room: room)
      case 12: .damageRecord(room: room)
      case 13, 14: .repair(room: room)
      case 15: .trim(room: room)
      case 16: .retain
      case 17: .delete(room: room)
      case 18: .look(room: room)
      case 19: .beginReading
      case 20: .endReading
      case 21: .reopen
      case 22: .kill
      case 23: .heal
      case 24: .backUp
      case 25: .verify
      case 26: .burst(room: room)
      default: .turn
      }
    }
  }

  /// The operations under test, each with the steps that prepare it.
  private static let operations: [(before: Steps, operation: Steps)] = [
    ([], [.append(room: "a", count: 2, bytes: 200)]),
    ([], [.append(room: "c", count: 1, bytes: 5_000)]),
    ([], [.burst(room: "a")]),
    ([.append(room: "a", count: 1, bytes: 10)], [.snapshot(room: "a")]),
    ([], [.trim(room: "a"), .turn]),
    ([.turn, .turn, .turn, .turn], [.retain, .turn]),
    ([], [.delete(room: "b"), .turn, .turn]),
    (
      [.append(room: "a", count: 1, bytes: 10), .snapshot(room: "a"), .damageSnapshot(room: "a")], [.repair(room: "a")]
    ),
    ([.damageRecord(room: "a")], [.repair(room: "a"), .turn]),
    ([], [.backUp]),
    ([], [.verify]),
    ([.append(room: "b", count: 1, bytes: 200)], [.reopen]),
    ([.snapshot(room: "b")], [.kill]),
    ([.append(room: "b", count: 1, bytes: 200), .beginReading, .append(room: "a", count: 1, bytes: 10)], [.reopen]),
  ]

  private func start(on cuts: some Collection<DiskRuns.Rest>, _ place: @autoclosure () -> String) {
    for (index, rest) in cuts.enumerated() {
      tally.addCut()
      tally.watch("cut \(index), \(place())") { try runs.start(on: rest, seed: UInt64(index)) }
    }
  }

  @Test("whenever the power is cut, what was acknowledged is there, and it goes on")
  func cuts() throws {
    defer { runs.finish() }
    let beginning = try runs.beginning()
    for seed in 1...UInt64(max(1, 13 / LyingDiskTests.share)) {
      let steps = LyingDiskTests.story(seed: seed, steps: 24)
      tally.watch("seed \(seed), \(steps)") {
        let outcome = try runs.run(steps, from: beginning, seed: seed, cutEvery: 1)
        tally.add(outcome)
        start(on: outcome.cuts, "seed \(seed), \(steps)")
      }
    }
    tally.end()
    #expect(tally.cuts > 5_000 / LyingDiskTests.share)
    #if !DEBUG
      #expect(tally.backUps > 0 && tally.repairs > 0)
    #endif
  }

  /// Calls `body` for each operation under test. `calls` are the numbers of the disk calls that the operation makes.
  private func forEachOperation(
    from beginning: DiskRuns.Rest,
    _ body: (_ steps: Steps, _ calls: Range<Int>) throws -> Void
  ) throws {
    for (before, operation) in LyingDiskTests.operations {
      let steps = before + operation + [.turn, .turn, .append(room: "b", count: 1, bytes: 10), .turn]
      let calls = try runs.run(steps, from: beginning, seed: 1).calls
      try body(steps, calls[before.count] + 1..<calls[before.count + operation.count] + 1)
    }
  }

  private func run(_ steps: Steps, from beginning: DiskRuns.Rest, _ faults: [LyingDisk.Fault], cuts: Int) {
    tally.watch("\(faults), \(steps)") {
      let outcome = try runs.run(steps, from: beginning, seed: 1, faults: faults)
      tally.add(outcome)
      guard outcome.failureCount >= faults.count else { throw DiskLedger.Failure("the faults didn't happen") }
      start(on: outcome.cuts.prefix(cuts), "\(faults), \(steps)")
    }
  }

  @Test("each call to the disk of each operation fails in turn, once and from then on")
  func everyFailure() throws {
    defer { runs.finish() }
    let beginning = try runs.beginning()
    try forEachOperation(from: beginning) { steps, calls in
      for number in stride(from: calls.lowerBound, to: calls.upperBound, by: LyingDiskTests.share) {
        for lasts in [false, true] {
          run(steps, from: beginning, [.init(number: number, code: number % 2, lasts: lasts)], cuts: 2)
        }
      }
    }
    tally.end()
    #expect(tally.cuts > 3_000 / LyingDiskTests.share)
    expectEachKindOfFailure()
  }

  /// The first fault hits each disk call of an operation once. The second fault hits one in thirty of the calls after
  /// the first fault.
  @Test("two calls to the disk fail, the first in each operation, the second in it or in what follows")
  func pairs() throws {
    defer { runs.finish() }
    let beginning = try runs.beginning()
    let distance = 30 * LyingDiskTests.share
    try forEachOperation(from: beginning) { steps, calls in
      for first in calls {
        let one = LyingDisk.Fault(number: first, code: first % 2)
        let last = try runs.run(steps, from: beginning, seed: 1, faults: [one]).calls.last ?? 0
        for second in stride(from: first + 1 + first % distance, through: last, by: distance) {
          run(steps, from: beginning, [one, .init(number: second, code: second / 2 % 2)], cuts: 1)
        }
      }
    }
    tally.end()
    #expect(tally.cuts > 3_000 / LyingDiskTests.share)
    expectEachKindOfFailure()
  }

  private func expectEachKindOfFailure() {
    #if !DEBUG
      #expect(Set(tally.failures.keys) == LyingDisk.Failure.all)
    #endif
  }

  /// A snapshot is committed without syncing. Commits that follow it in the write-ahead log can be read only if the
  /// snapshot's own commits are intact.
  @Test("each sync fails once while another program reads, and the power is cut at any moment after that")
  func everySync() throws {
    defer { runs.finish() }
    let beginning = try runs.beginning()
    let steps: Steps = [
      .append(room: "b", count: 1, bytes: 200), .beginReading, .snapshot(room: "b"),
      .append(room: "a", count: 2, bytes: 5_000), .turn, .turn, .append(room: "a", count: 1, bytes: 10),
      .append(room: "c", count: 1, bytes: 10), .kill, .append(room: "c", count: 2, bytes: 10), .reopen,
      .append(room: "a", count: 1, bytes: 10),
    ]
    for number in stride(from: 1, through: 40, by: LyingDiskTests.share) {
      let fault = LyingDisk.Fault(number: number, kind: .sync)
      tally.watch("sync \(number)") {
        let outcome = try runs.run(steps, from: beginning, seed: 1, faults: [fault], cutEvery: 2)
        tally.add(outcome)
        guard outcome.failureCount > 0 else { return }
        start(on: outcome.cuts, "sync \(number)")
      }
    }
    tally.end()
    #expect(tally.cuts > 800 / LyingDiskTests.share)
  }

  @Test("calls to the disk fail at random, one, two or three of them, and the power is cut at random too")
  func randomFailures() throws {
    defer { runs.finish() }
    let beginning = try runs.beginning()
    for seed in 1...UInt64(400 / LyingDiskTests.share) {
      var random = SeededGenerator(seed: seed)
      let steps = LyingDiskTests.story(seed: seed, steps: 24)
      let faults =
        (0..<Int.random(in: 1...3, using: &random)).map { _ in
          LyingDisk.Fault(
            number: Int.random(in: 1...400, using: &random),
            code: Int.random(in: 0..<2, using: &random),
            lasts: Int.random(in: 0..<3, using: &random) == 0
          )
        }
        + (Bool.random(using: &random)
          ? [LyingDisk.Fault(number: Int.random(in: 1...30, using: &random), kind: .sync)] : [])
      tally.watch("seed \(seed), \(faults), \(steps)") {
        let outcome = try runs.run(steps, from: beginning, seed: seed, faults: faults, cutEvery: 100)
        tally.add(outcome)
        start(on: outcome.cuts, "seed \(seed), \(faults), \(steps)")
      }
    }
    tally.end()
    #expect(tally.cuts > 1_500 / LyingDiskTests.share)
    #expect(tally.failures.count > 4)
  }
}
