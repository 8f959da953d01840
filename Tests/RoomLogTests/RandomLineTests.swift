import Glibc
import Testing

@testable import RoomLog

/// Several nodes that share one database, with every kind of fault on their connections to it, from fixed seeds.
@Suite("Nodes over a line that lies", .enabled(if: TestDatabase.isThere), .serialized)
struct RandomLineTests {
  /// How many histories to run, set by the environment variable `CANVAS_LINES`.
  private static let count = getenv("CANVAS_LINES").flatMap { Int(String(cString: $0)) } ?? 4
  /// The seed of the first history, set by `CANVAS_SEED`.
  private static let firstSeed = getenv("CANVAS_SEED").flatMap { UInt64(String(cString: $0)) } ?? 0
  private static let steps = 150

  @Test(
    "acknowledged records are there, refused ones not even in part, all nodes have the same rooms, and each request is answered once"
  )
  func histories() throws {
    var happened: [String: Int] = [:]
    for offset in 0..<RandomLineTests.count {
      let seed = RandomLineTests.firstSeed &+ UInt64(offset)
      happened.merge(try LineHistory(seed: seed).run(steps: RandomLineTests.steps), uniquingKeysWith: +)
    }
    for happening in [
      "acknowledged", "append refused", "busy", "unavailable", "request cut", "answer cut", "delay", "late answers",
      "pg_terminate_backend", "pg_cancel_backend", "stopped", "takeover", "record lost", "set back", "restart",
    ] {
      #expect(happened[happening, default: 0] > 0, "\(happening)")
    }
  }
}
