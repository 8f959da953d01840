import Synchronization

/// A log that keeps its rooms in memory: for tests, and for a server that is to store nothing.
///
/// It has no thread and no clock. `submit` does what it is asked and calls the sink before it returns.
public final class MemoryLog: RoomLog {
  private struct State {
    var store: MemoryStore
    var unreported: [LogEvent] = []
    var figures = LogStatistics()
    var isClosed = false
    /// Whether a caller is in the sink already. That caller goes on until there is nothing left to report.
    var isReporting = false
  }

  private let retention: Retention
  private let positionStep: UInt64
  private let sink: LogSink
  private let state: Mutex<State>

  public convenience init(retention: Retention = .everything, sink: @escaping LogSink) {
    self.init(store: MemoryStore(), retention: retention, sink: sink)
  }

  /// - Parameters:
  ///   - store: what an earlier log has made durable.
  ///   - positionStep: how far apart positions are. Tests use it to show that nobody relies on gapless positions.
  init(store: MemoryStore, retention: Retention, positionStep: UInt64 = 1, sink: @escaping LogSink) {
    self.retention = retention
    self.positionStep = positionStep
    self.sink = sink
    state = Mutex(State(store: store))
  }

  /// What is durable. A log in the next process starts from it.
  var store: MemoryStore { state.withLock { $0.store } }

  public func submit(_ requests: [LogRequest]) {
    state.withLock { if !$0.isClosed { commit(requests, in: &$0) } }
    report()
  }

  public func statistics() -> LogStatistics {
    state.withLock { state in
      var figures = state.figures
      figures.rooms = state.store.rooms.count
      return figures
    }
  }

  public func close() {
    state.withLock { state in
      if !state.isClosed { state.unreported.append(.closed) }
      state.isClosed = true
    }
    report()
  }

  private func commit(_ requests: [LogRequest], in state: inout State) {
    var report = CommitReport(rooms: 0, records: 0, bytes: 0, microseconds: 0)
    var touched: Set<String> = []
    for request in requests {
      let event = perform(request, in: &state)
      if case .appended(let appended) = event {
        touched.insert(appended.room)
        report.records += appended.records.count
        report.bytes += appended.records.reduce(0) { $0 + $1.bytes.count }
      }
      state.unreported.append(event)
    }
    guard report.records > 0 else { return }
    report.rooms = touched.count
    state.figures.commits += 1
    state.figures.records += UInt64(report.records)
    state.figures.bytes += UInt64(report.bytes)
    state.figures.batchRecords.add(UInt64(report.records))
    state.unreported.append(.committed(report))
  }

  /// Reports all events to the sink, including those that arise while it is being called.
  private func report() {
    while true {
      let events = state.withLock { state -> [LogEvent] in
        guard !state.isReporting else { return [] }
        let events = state.unreported
        state.unreported = []
        state.isReporting = !events.isEmpty
        return events
      }
      guard !events.isEmpty else { return }
      sink(events)
      state.withLock { $0.isReporting = false }
    }
  }

  private func perform(_ request: LogRequest, in state: inout State) -> LogEvent {
    do throws(LogError) {
      return try answer(request, in: &state)
    } catch {
      return .failed(id: request.id, room: request.room, error)
    }
  }

  private func answer(_ request: LogRequest, in state: inout State) throws(LogError) -> LogEvent {
    switch request {
    case .append(let append): return .appended(try state.store.append(append, step: positionStep))
    case .read(let read): return .read(id: read.id, try state.store.read(read))
    case .load(let load): return .loaded(id: load.id, try state.store.load(load))
    case .snapshot(let snapshot):
      try state.store.store(snapshot, retention: retention)
      return .snapshotted(id: snapshot.id, room: snapshot.room, position: snapshot.position)
    case .trim(let trim):
      let room = try state.store.room(trim.room, epoch: trim.epoch)
      let place = room.entry.snapshot(through: .position(trim.through))
      let through = state.store.trim(trim.room, to: place, retention: retention)
      return .trimmed(id: trim.id, room: trim.room, through: through)
    case .repair(let repair):
      _ = try state.store.room(repair.room)
      throw .notDamaged(room: repair.room)
    case .verify(let id, let name):
      return .verified(id: id, room: name, records: try state.store.room(name).records.count)
    case .verifyPart(let request):
      // Nothing was ever read back from a disk, so nothing can differ.
      var part = VerifiedPart()
      part.rooms = state.store.rooms.count
      return .verifiedPart(id: request.id, part)
    case .delete(let id, let name): return .deleted(id: id, room: name, epoch: try state.store.delete(name))
    case .list(let id):
      let rooms = state.store.rooms.values.map { $0.entry.summary(damage: nil) }
      return .rooms(id: id, rooms.sorted { $0.room < $1.room })
    case .retain(let id, let milliseconds):
      for name in state.store.rooms.keys.sorted() {
        let place = state.store.rooms[name]?.entry.trimmable(by: retention, milliseconds: milliseconds)
        guard let place else { continue }
        let through = state.store.trim(name, to: place, retention: retention)
        state.unreported.append(.trimmed(id: nil, room: name, through: through))
      }
      return .retained(id: id)
    }
  }
}
