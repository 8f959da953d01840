@testable import RoomLog

/// A server's end of its line to the simulated log and bus. It keeps what the server asks and tells until the world
/// takes it, and hands the log's reports to the server.
///
/// `@unchecked Sendable`: each line belongs to one history, which runs on one thread.
final class LogLine: RoomLog, Bus, @unchecked Sendable {
  private var sink: LogSink?
  private var requests: [LogRequest] = []
  private var messages: [[UInt8]] = []
  /// The numbers of the requests that are not answered.
  private var unanswered: Set<UInt64> = []
  private(set) var isClosing = false

  init(_ sink: @escaping LogSink) { self.sink = sink }

  // MARK: As the hub sees it

  func submit(_ requests: [LogRequest]) {
    self.requests += requests
    for request in requests { unanswered.insert(request.id) }
  }

  func tell(_ message: [UInt8]) { messages.append(message) }
  func statistics() -> LogStatistics { LogStatistics() }
  func close() { isClosing = true }

  // MARK: As the world sees it

  var hasRequests: Bool { !requests.isEmpty }

  /// The requests that have come since the last call.
  func takeRequests() -> [LogRequest] {
    defer { requests = [] }
    return requests
  }

  /// The messages to other nodes that have come since the last call.
  func takeMessages() -> [[UInt8]] {
    defer { messages = [] }
    return messages
  }

  func report(_ event: LogEvent) {
    if let id = event.id { unanswered.remove(id) }
    sink?([event])
  }

  /// Refuses all unanswered requests of a process that has ended. Otherwise the jobs of its hub would wait forever.
  func refuseAll() {
    requests = []
    let numbers = unanswered.sorted()
    unanswered = []
    for number in numbers { sink?([.failed(id: number, room: nil, .isClosing)]) }
  }

  /// Nothing holds the hub any more.
  func end() { sink = nil }
}
