import Synchronization

@testable import RoomLog

/// A log that sends a request again if it failed as unavailable, as replicas do with refused edits. It sends a request
/// only after all earlier ones were answered, so their order stays the same.
final class PatientLog: RoomLog {
  private struct State {
    var log: (any RoomLog)?
    /// The requests that were sent, including answered ones.
    var sent: [LogRequest] = []
    var unanswered: Set<UInt64> = []
    var refused: Set<UInt64> = []
    /// The requests that wait until all sent ones are answered.
    var waiting: [LogRequest] = []
    var isAway = false
    var isClosing = false
    var repeats = 0
  }

  private let state = Mutex(State())
  private let sink: LogSink

  init(_ sink: @escaping LogSink, open: (@escaping LogSink) throws -> any RoomLog) rethrows {
    self.sink = sink
    let log = try open { [weak self] in self?.take($0) }
    state.withLock { $0.log = log }
  }

  /// How many requests were sent again.
  var repeats: Int { state.withLock { $0.repeats } }

  func submit(_ requests: [LogRequest]) {
    state.withLock { if !$0.isClosing { $0.waiting += requests } }
    goOn()
  }

  func statistics() -> LogStatistics { state.withLock { $0.log }?.statistics() ?? LogStatistics() }

  func close() {
    state.withLock { $0.isClosing = true }
    goOn()
  }

  private func take(_ events: [LogEvent]) {
    let told = state.withLock { state in events.filter { isToBeTold($0, &state) } }
    sink(told)
    goOn()
  }

  private func isToBeTold(_ event: LogEvent, _ state: inout State) -> Bool {
    if case .availability(nil, let fault) = event { state.isAway = fault != nil }
    guard let id = event.id, state.unanswered.remove(id) != nil else { return true }
    guard case .failed(_, _, .unavailable) = event else { return true }
    state.refused.insert(id)
    return false
  }

  private func goOn() {
    let (log, requests, isAtEnd) = state.withLock { state -> ((any RoomLog)?, [LogRequest], Bool) in
      guard state.unanswered.isEmpty, !state.isAway else { return (nil, [], false) }
      let again = state.sent.filter { state.refused.contains($0.id) }
      state.repeats += again.count
      state.sent = again + state.waiting
      state.waiting = []
      state.refused = []
      state.unanswered = Set(state.sent.map(\.id))
      return (state.log, state.sent, state.sent.isEmpty && state.isClosing)
    }
    if !requests.isEmpty { log?.submit(requests) }
    if isAtEnd { log?.close() }
  }
}
