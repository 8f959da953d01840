import RoomLog

/// A bus that leads to nobody, and counts what it is told. A server with a bus shares its rooms with other nodes.
///
/// `@unchecked Sendable`: it belongs to one test, which runs on one thread.
final class CountingBus: Bus, @unchecked Sendable {
  private(set) var count = 0
  func tell(_ message: [UInt8]) { count += 1 }
}
