import Synchronization

/// A log that keeps its rooms in memory: for tests, for simulations, and for a server that is to store nothing.
///
/// It has no thread and no clock. Made with `.atOnce`, what is submitted is done within `submit`, and the sink is called
/// there. Made with `.inSteps`, nothing happens until `commit` makes durable what has queued, and `report` tells of it:
/// between any two steps a simulation may delay, fail or crash it, and the same steps always lead to the same events.
public final class MemoryLog: RoomLog {
  public enum Pace: Sendable {
    case atOnce
    case inSteps
  }

  private struct State {
    var store: MemoryStore
    var queued: [LogRequest] = []
    var unreported: [LogEvent] = []
    var fault: StorageFault?
    var faultyAppends = 0
    var figures = LogStatistics()
    var isClosed = false
    /// Whether someone is calling the sink, and will go on until nothing is left to tell.
    var isReporting = false
  }

  private let pace: Pace
  private let retention: Retention
  private let positionStep: UInt64
  private let sink: LogSink
  private let state: Mutex<State>

  /// - Parameters:
  ///   - store: what an earlier log has made durable.
  ///   - positionStep: how far apart positions are, to show that nobody counts on their being neighbours.
  public init(
    store: MemoryStore = MemoryStore(),
    pace: Pace = .atOnce,
    retention: Retention = .everything,
    positionStep: UInt64 = 1,
    sink: @escaping LogSink
  ) {
    self.pace = pace
    self.retention = retention
    self.positionStep = max(positionStep, 1)
    self.sink = sink
    state = Mutex(State(store: store))
  }

  public func submit(_ requests: [LogRequest]) {
    state.withLock { state in
      guard !state.isClosed else { return }
      state.queued += requests
      state.figures.queuedBytes += requests.reduce(0) { $0 + $1.cost }
    }
    if pace == .atOnce {
      commit()
      report()
    }
  }

  public func statistics() -> LogStatistics {
    state.withLock { state in
      var figures = state.figures
      figures.fault = state.fault
      figures.rooms = state.store.rooms.count
      return figures
    }
  }

  public func close() {
    commit()
    state.withLock { state in
      if !state.isClosed { state.unreported.append(.closed) }
      state.isClosed = true
    }
    report()
  }

  // MARK: Steps

  /// How many requests are waiting for `commit`, and how many events for `report`.
  public var waiting: (requests: Int, events: Int) {
    state.withLock { ($0.queued.count, $0.unreported.count) }
  }

  /// Does the first `count` of what has queued, or all of it, as one commit.
  public func commit(_ count: Int = .max) {
    state.withLock { state in
      let count = min(count, state.queued.count)
      let requests = state.queued.prefix(count)
      state.queued.removeFirst(count)
      var report = CommitReport(rooms: 0, records: 0, bytes: 0, microseconds: 0)
      var touched: Set<String> = []
      for request in requests {
        state.figures.queuedBytes -= request.cost
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
  }

  /// Tells the sink the first `count` of what has happened, or all of it.
  public func report(_ count: Int = .max) {
    var left = count
    while left > 0 {
      let events = state.withLock { state -> [LogEvent] in
        guard !state.isReporting else { return [] }
        let events = Array(state.unreported.prefix(left))
        state.unreported.removeFirst(events.count)
        state.isReporting = !events.isEmpty
        return events
      }
      guard !events.isEmpty else { return }
      sink(events)
      state.withLock { $0.isReporting = false }
      left -= events.count
    }
  }

  // MARK: Faults

  /// Makes the next `count` appends fail, as a disk would. After the last of them the log is available again.
  public func failAppends(_ count: Int, with fault: StorageFault = .diskFull(path: "memory")) {
    state.withLock { state in
      state.faultyAppends = count
      guard count > 0, state.fault != fault else { return }
      state.fault = fault
      state.unreported.append(.availability(fault))
    }
    if pace == .atOnce { report() }
  }

  /// The process dies here: what was not committed is lost, and what was not reported is never told. What is durable is
  /// handed out for the log of the next process; this one says no more.
  public func crash() -> MemoryStore {
    state.withLock { state in
      state.isClosed = true
      state.queued = []
      state.unreported = []
      state.isReporting = true
      return state.store
    }
  }

  /// Records that another node has appended: stored, and told though nobody here asked.
  public func arrive(_ request: AppendRequest) throws(LogError) {
    let result = state.withLock { state -> Result<Void, LogError> in
      Result { () throws(LogError) in
        var arrived = try state.store.append(request, step: positionStep)
        arrived.id = nil
        state.unreported.append(.appended(arrived))
      }
    }
    try result.get()
    if pace == .atOnce { report() }
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
    case .append(let append):
      if let fault = state.fault {
        state.faultyAppends -= 1
        state.figures.failedCommits += 1
        if state.faultyAppends <= 0 {
          state.fault = nil
          state.unreported.append(.availability(nil))
        }
        throw .unavailable(fault)
      }
      return .appended(try state.store.append(append, step: positionStep))
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
