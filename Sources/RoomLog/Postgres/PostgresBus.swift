/// Sends messages to other nodes as PostgreSQL's notifications, and reads theirs.
///
/// What always holds: when notifications may have been missed, the owner is told.
final class PostgresBus {
  static let channel = "canvas_nodes"

  private let link: PostgresLink
  private let sink: BusSink
  private var parts = MessageParts()
  /// Whether the connection has been ready before.
  private var wasReady = false

  init(_ link: PostgresLink, _ sink: @escaping BusSink) {
    self.link = link
    self.sink = sink
  }

  func tell(_ message: [UInt8]) {
    guard link.isReady else { return }
    for part in MessageParts.split(message) { link.send([(.tell, [.text(part)])]) { _ in } }
  }

  func heard(_ payload: String, from process: Int32) {
    guard process != link.process, let message = parts.join(payload, from: process) else { return }
    sink(.heard(message))
  }

  func linkIsReady() {
    if wasReady {
      parts.forgetBegun()
      sink(.missed)
    }
    wasReady = true
  }
}
