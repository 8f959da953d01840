import Foundation
import Testing

@Suite("Whole servers, whatever happens around them")
struct HubHistoryTests {
  /// How many histories are run: `CANVAS_HUB_HISTORIES`.
  private static let count = environment["CANVAS_HUB_HISTORIES"].flatMap { Int($0) } ?? 400
  /// The seed of the first history: `CANVAS_SEED`.
  private static let firstSeed = environment["CANVAS_SEED"].flatMap { Int($0) } ?? 0
  private static let environment = ProcessInfo.processInfo.environment
  private static let perBlock = 20

  @Test("every history ends as it must", arguments: 0..<((count + perBlock - 1) / perBlock))
  func histories(block: Int) {
    for offset in 0..<HubHistoryTests.perBlock {
      let seed = UInt64(HubHistoryTests.firstSeed + block * HubHistoryTests.perBlock + offset)
      for failure in HubHistory.run(seed: seed).failures.prefix(1) { Issue.record("\(failure)") }
    }
  }

  @Test("a seed gives the same history each time, to the byte")
  func repeatable() {
    var fingerprints: Set<UInt64> = []
    for seed in 1_000 as UInt64..<1_010 {
      let first = HubHistory.run(seed: seed).fingerprint
      #expect(HubHistory.run(seed: seed).fingerprint == first)
      fingerprints.insert(first)
    }
    #expect(fingerprints.count == 10)
  }

  @Test("all that is meant to happen does happen")
  func happenings() {
    var happened: Set<HubHistory.Happening> = []
    for seed in 0 as UInt64..<100 where happened.count < HubHistory.Happening.allCases.count {
      happened.formUnion(HubHistory.run(seed: seed).happened)
    }
    for happening in HubHistory.Happening.allCases { #expect(happened.contains(happening), "\(happening)") }
  }
}
