import Foundation
import Testing

@testable import SyncServer

@Suite("Rooms and replicas, whatever happens between them")
struct SimulationTests {
  private static let isSoak = ProcessInfo.processInfo.environment["CANVAS_SOAK"] == "1"
  private static let blocks = isSoak ? 400 : 20
  private static let historiesPerBlock = 26

  @Test("everyone ends with the log's fold, and nothing is lost that was taken or seen", arguments: 0..<blocks)
  func histories(block: Int) {
    for offset in 0..<SimulationTests.historiesPerBlock {
      var simulation = Simulation(seed: UInt64(block * SimulationTests.historiesPerBlock + offset))
      simulation.run(steps: 300)
      simulation.settle()
      simulation.check()
    }
  }

  /// Each found something once: a message sent again, for a shape deleted since, refused in a full room though durable.
  @Test("histories that went wrong once go right", arguments: [9, 489] as [UInt64])
  func found(seed: UInt64) {
    var simulation = Simulation(seed: seed)
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
