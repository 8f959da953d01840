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
  /// With this many histories or more, each kind of `Happening` has to occur. Fewer may lack some.
  private static let enoughForAll = 300

  @Test("every rule holds in every history, and all that is meant to happen does happen")
  func histories() async {
    var blocks = stride(from: 0, to: SimulationTests.count, by: SimulationTests.perBlock).makeIterator()
    let happened = await withTaskGroup(of: Set<Happening>.self) { group in
      // At most one block for each processor at a time. If all were begun at once, other tests would wait behind them.
      func begin() {
        if let first = blocks.next() { group.addTask { SimulationTests.play(block: UInt64(first)) } }
      }
      for _ in 0..<ProcessInfo.processInfo.activeProcessorCount { begin() }
      var happened: Set<Happening> = []
      for await part in group {
        happened.formUnion(part)
        begin()
      }
      return happened
    }
    guard SimulationTests.count >= SimulationTests.enoughForAll, SimulationTests.rule == nil else { return }
    for happening in Happening.allCases { #expect(happened.contains(happening), "\(happening)") }
  }

  /// Plays the histories of a block, and returns what happened in them.
  private static func play(block first: UInt64) -> Set<Happening> {
    var happened: Set<Happening> = []
    for offset in 0..<UInt64(perBlock) {
      let seed = firstSeed &+ first &+ offset
      let world = History(seed: seed).run(only: rule)
      happened.formUnion(world.happened.keys)
      guard let failure = world.failures.first else { continue }
      Issue.record("\(failure)\nTo see how it comes about: make simulate SEED=\(seed)")
    }
    return happened
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
}
