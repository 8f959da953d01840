import Synchronization

@testable import RoomLog

/// A log in memory that doesn't know the outcome of some appends for a while, as if its connection to a database had
/// broken. `Doubts` chooses these appends. Until the outcome is known, the log refuses all writes.
final class DoubtfulLog: RoomLog {
  private struct State {
    var log: MemoryLog?
    var undecided: UndecidedAppend?
    var isClosed = false
    var untold: [LogEvent] = []
    /// Whether `tell` is calling the sink already. If so, it also tells the events that arise during the calls.
    var isTelling = false
  }

  private let state = Mutex(State())
  private let doubts: Doubts
  private let sink: LogSink

  init(sharing memory: SharedMemory, _ doubts: Doubts, sink: @escaping LogSink) {
    self.doubts = doubts
    self.sink = sink
    let log = MemoryLog(sharing: memory) { [weak self] in self?.take($0) }
    state.withLock { $0.log = log }
    doubts.add(self)
  }

  private var log: MemoryLog? { state.withLock { $0.log } }

  func submit(_ requests: [LogRequest]) {
    guard !state.withLock({ $0.isClosed }) else { return }
    var passed: [LogRequest] = []
    // The writes that came together with the undecided append are refused too, even if it is decided meanwhile.
    var isUndecided = state.withLock { $0.undecided != nil }
    for request in requests {
      if request.isWrite, isUndecided {
        tell([.failed(id: request.id, room: request.room, .unavailable(UndecidedAppend.fault))])
      } else if case .append(let append) = request, let fate = doubts.take() {
        log?.submit(passed)
        passed = []
        isUndecided = true
        leave(append, fate)
      } else {
        passed.append(request)
      }
    }
    log?.submit(passed)
  }

  private func leave(_ append: AppendRequest, _ fate: UndecidedAppend.Fate) {
    state.withLock { $0.undecided = UndecidedAppend(append, fate) }
    if fate == .stored { log?.submit([.append(append)]) }
    tell([.availability(room: nil, UndecidedAppend.fault)])
  }

  /// Tells the outcome of the undecided append, as soon as the rooms have it.
  func decide() {
    tell(
      state.withLock { state in
        state.undecided?.isDue = true
        return DoubtfulLog.outcome(&state)
      }
    )
  }

  private static func outcome(_ state: inout State) -> [LogEvent] {
    guard let undecided = state.undecided, undecided.isDue, undecided.isKnown else { return [] }
    state.undecided = nil
    return [.availability(room: nil, nil)] + undecided.answer
  }

  private func take(_ events: [LogEvent]) {
    tell(
      state.withLock { state in
        var told: [LogEvent] = []
        for event in events {
          guard let event = state.undecided == nil ? event : state.undecided?.hold(event) else {
            told += DoubtfulLog.outcome(&state)
            continue
          }
          told.append(event)
        }
        return told
      }
    )
  }

  private func tell(_ events: [LogEvent]) {
    state.withLock { $0.untold += events }
    while true {
      let next = state.withLock { state -> [LogEvent] in
        guard !state.isTelling else { return [] }
        defer { state.untold = [] }
        state.isTelling = !state.untold.isEmpty
        return state.untold
      }
      guard !next.isEmpty else { return }
      sink(next)
      state.withLock { $0.isTelling = false }
    }
  }

  func statistics() -> LogStatistics {
    var statistics = log?.statistics() ?? LogStatistics()
    if state.withLock({ $0.undecided != nil }) { statistics.fault = UndecidedAppend.fault }
    return statistics
  }

  func close() {
    decide()
    state.withLock { $0.isClosed = true }
    log?.close()
  }
}
