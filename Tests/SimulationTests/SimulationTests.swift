import Foundation
import Testing

@testable import SyncServer

@Suite("Rooms, logs and clients, whatever happens between them")
struct SimulationTests {
  private static let environment = ProcessInfo.processInfo.environment
  /// How many histories to run, set by the environment variable `CANVAS_HISTORIES`.
  private static let count = environment["CANVAS_HISTORIES"].flatMap { Int($0) } ?? 1_000
  /// The seed of the first history, set by `CANVAS_SEED`.
  private static let firstSeed = environment["CANVAS_SEED"].flatMap { UInt64($0) } ?? 0
  /// The only rule to check, set by `CANVAS_RULE`. `nil` means all rules.
  private static let rule = environment["CANVAS_RULE"].flatMap { name in Rule.allCases.first { "\($0)" == name } }
  private static let perBlock = 50

  @Test("every rule holds in every history", arguments: 0..<((count + perBlock - 1) / perBlock))
  func histories(block: Int) {
    for offset in 0..<SimulationTests.perBlock {
      let seed = SimulationTests.firstSeed &+ UInt64(block * SimulationTests.perBlock + offset)
      guard let failure = History(seed: seed).failure(of: SimulationTests.rule) else { continue }
      Issue.record("\(failure)\nTo see how it comes about: make simulate SEED=\(seed)")
    }
  }

  @Test("however fast others draw, what is shown behind a thin line is no older than the line makes it")
  func thinLines() {
    var histories = 0
    var old = 0
    for seed in 0 as UInt64..<50_000 where histories < 20 {
      let drawn = History(seed: seed)
      guard let link = drawn.dice.link, link.bytesPerSecond <= 1_000, drawn.dice.suitsThinLines else { continue }
      histories += 1
      // The chosen events make only a few shapes, and change them very often.
      let events: [Event] = Array(repeating: .draw, count: 4) + Array(repeating: .gesture, count: 60)
      let steps = events.enumerated().map { place, event in
        History.Step(event: event, seed: seed &+ UInt64(place) << 20)
      }
      let world = History(seed: seed, dice: drawn.dice, steps: steps).run(only: .age)
      for failure in world.failures.prefix(1) { Issue.record("seed \(seed): \(failure)") }
      old += world.happened[.oldOnThinLine, default: 0]
    }
    #expect(histories == 20 && old > 0)
  }

  @Test("all that is meant to happen does happen")
  func happenings() {
    var happened: [Happening: Int] = [:]
    for seed in 0..<300 where Happening.allCases.contains(where: { happened[$0] == nil }) {
      happened.merge(History(seed: UInt64(seed)).run().happened, uniquingKeysWith: +)
    }
    for happening in Happening.allCases { #expect(happened[happening, default: 0] > 0, "\(happening)") }
  }
}
