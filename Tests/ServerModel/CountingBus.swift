import RoomLog

/// A bus that leads to nobody, and keeps what it is told. A server with a bus shares its rooms with other nodes.
///
/// `@unchecked Sendable`: it belongs to one test, which runs on one thread.
final class CountingBus: Bus, @unchecked Sendable {
  private(set) var messages: [[UInt8]] = []
  var count: Int { messages.count }
  func tell(_ message: [UInt8]) { messages.append(message) }
}
