@testable import RoomLog

/// A server's end of its line to the simulated log. It keeps what the server asks until the world takes it, and hands
/// the world's reports to the server.
///
/// `@unchecked Sendable`: each line belongs to one history, which runs on one thread.
final class LogLine: RoomLog, @unchecked Sendable {
  private var sink: LogSink?
  private var requests: [LogRequest] = []
  /// The numbers of the requests that are not answered.
  private var unanswered: Set<UInt64> = []
  private(set) var isClosing = false

  init(_ sink: @escaping LogSink) { self.sink = sink }

  // MARK: As the hub sees it

  func submit(_ requests: [LogRequest]) {
    self.requests += requests
    for request in requests { unanswered.insert(request.id) }
  }

  func statistics() -> LogStatistics { LogStatistics() }
  func close() { isClosing = true }

  // MARK: As the world sees it

  var hasRequests: Bool { !requests.isEmpty }

  /// The requests that have come since the last call.
  func takeRequests() -> [LogRequest] {
    defer { requests = [] }
    return requests
  }

  func tell(_ event: LogEvent) {
    if let id = event.answered { unanswered.remove(id) }
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
