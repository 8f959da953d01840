import Foundation
import Testing

@testable import SyncServer

@Suite("Rooms and replicas, whatever happens between them")
struct SimulationTests {
  private static let isSoak = ProcessInfo.processInfo.environment["CANVAS_SOAK"] == "1"
  /// Other histories: `CANVAS_SEED` is the first of their seeds.
  private static let firstSeed = ProcessInfo.processInfo.environment["CANVAS_SEED"].flatMap { UInt64($0) } ?? 0
  private static let blocks = isSoak ? 400 : 20
  private static let historiesPerBlock = 26

  @Test("everyone ends with the log's fold, and nothing is lost that was taken or seen", arguments: 0..<blocks)
  func histories(block: Int) {
    for offset in 0..<SimulationTests.historiesPerBlock {
      let number = UInt64(block * SimulationTests.historiesPerBlock + offset)
      var simulation = Simulation(seed: SimulationTests.firstSeed &+ number)
      simulation.run(steps: 300)
      simulation.settle()
      simulation.check()
    }
  }

  /// Each found something once: a message sent again, for a shape deleted since, refused in a full room though durable; a
  /// stamp given out twice; a state that the ring did not go on from.
  @Test(
    "histories that went wrong once go right",
    arguments: [9, 489, 1063, 2017, 2195, 5722, 8598, 10_338] as [UInt64]
  )
  func found(seed: UInt64) {
    var simulation = Simulation(seed: seed, isPlain: true)
    simulation.run(steps: 300)
    simulation.settle()
    simulation.check()
  }

  @Test("every fault that is simulated does happen")
  func faults() {
    var faults: [Fault: Int] = [:]
    for seed in 0..<60 {
      var simulation = Simulation(seed: UInt64(seed))
      simulation.run(steps: 300)
      faults.merge(simulation.faults, uniquingKeysWith: +)
    }
    for fault in Fault.allCases { #expect(faults[fault, default: 0] > 0, "\(fault)") }
  }
}
