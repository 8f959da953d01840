import Foundation
import Testing

/// Random histories of replicas that lose connections, get refusals with every code, change their actors, and restart
/// from saved bytes. If a history fails, the test prints a shorter one that fails too.
@Suite struct ReplicaHistoryTests {
  private static let environment = ProcessInfo.processInfo.environment
  /// The blocks of a hundred seeds each. The environment variable can choose other blocks, for example `20-50`.
  private static let blocks: Range<UInt64> = {
    let bounds = (environment["CANVAS_REPLICAS"] ?? "0-20").split(separator: "-").compactMap { UInt64($0) }
    return bounds[0]..<bounds[1]
  }()
  /// The folder for the recorded events of pages, which Tests/wasm/histories.mjs reads.
  private static let folder = environment["CANVAS_WRITE_HISTORIES"].map { URL(fileURLWithPath: $0) }

  @Test("every rule holds in random histories of replicas", arguments: blocks)
  func histories(block: UInt64) throws {
    var exact = 0
    var records = Data()
    for seed in block * 100..<(block + 1) * 100 {
      let outcome = check(ReplicaHistory(seed: seed))
      if outcome.isExact { exact += 1 }
      if ReplicaHistoryTests.folder != nil { for record in outcome.records { records += try record.lines() } }
    }
    #expect(exact > 15, "the strictest rule is asked in too few histories")
    guard let folder = ReplicaHistoryTests.folder else { return }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try records.write(to: folder.appendingPathComponent("\(block).ndjson"))
  }

  /// Each of these seeds has found a fault:
  /// - 1535, 27147: an edit that was refused for now was sent after a newer one, under a new actor.
  /// - 21598, 22234: a stamp was refused as too far ahead before the client knew what the room had accepted.
  /// - 23250, 27700: an edit was sent after a refused undo.
  /// - 26134: a refused edit had replaced a waiting value of an undo.
  @Test(
    "every rule holds in the histories that have broken one",
    arguments: [1_535, 21_598, 22_234, 23_250, 26_134, 27_147, 27_700]
  )
  func found(seed: UInt64) { _ = check(ReplicaHistory(seed: seed, hasPages: false)) }

  private func check(_ history: ReplicaHistory) -> ReplicaHistory.Outcome {
    let outcome = history.outcome()
    if let failure = outcome.failure { Issue.record("\(history.shortened(for: failure.rule).story)") }
    return outcome
  }
}
