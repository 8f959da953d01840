import Synchronization

/// A log that keeps its rooms in memory: for tests, and for a server that stores nothing.
///
/// It has no thread and no clock, and is open as soon as it is made. `submit` carries out the requests and calls the
/// sink before it returns. Several logs may share their rooms, like the nodes of a cluster. A request to one of them
/// then also calls the sinks of the others.
public final class MemoryLog: RoomLog {
  private let shared: SharedMemory
  private let number: Int

  public convenience init(retention: Retention = .everything, sink: @escaping LogSink) {
    self.init(sharing: SharedMemory(retention: retention), sink: sink)
  }

  init(sharing shared: SharedMemory, sink: @escaping LogSink) {
    self.shared = shared
    number = shared.enter(sink)
  }

  public func submit(_ requests: [LogRequest]) { shared.perform(requests, for: number) }
  public func statistics() -> LogStatistics { shared.statistics(of: number) }
  public func close() { shared.leave(number) }
}

/// The rooms that one or several `MemoryLog`s share, and the events that each log has yet to report.
final class SharedMemory: Sendable {
  /// The state of one `MemoryLog`.
  private struct Handle {
    let sink: LogSink
    var followed: Set<String> = []
    var unreported: [LogEvent] = []
    var figures = LogStatistics()
    var isClosed = false
    /// Whether `report` is calling the sink already. If so, it also reports the events that arise during the calls.
    var isReporting = false
  }

  private struct State {
    var store: MemoryStore
    var handles: [Handle] = []
  }

  private let retention: Retention
  private let state: Mutex<State>

  /// - Parameter store: the rooms and records that earlier logs have stored.
  init(store: MemoryStore = MemoryStore(), retention: Retention = .everything) {
    self.retention = retention
    state = Mutex(State(store: store))
  }

  func enter(_ sink: @escaping LogSink) -> Int {
    let number = state.withLock { state in
      state.handles.append(Handle(sink: sink, unreported: [.opened(secret: nil)]))
      return state.handles.count - 1
    }
    report()
    return number
  }

  func leave(_ number: Int) {
    state.withLock { state in
      if !state.handles[number].isClosed { state.handles[number].unreported.append(.closed) }
      state.handles[number].isClosed = true
      state.handles[number].followed = []
    }
    report()
  }

  func statistics(of number: Int) -> LogStatistics {
    state.withLock { state in
      var figures = state.handles[number].figures
      figures.rooms = state.store.rooms.count
      return figures
    }
  }

  func perform(_ requests: [LogRequest], for number: Int) {
    state.withLock { if !$0.handles[number].isClosed { commit(requests, for: number, in: &$0) } }
    report()
  }

  private func commit(_ requests: [LogRequest], for number: Int, in state: inout State) {
    var report = CommitReport(rooms: 0, records: 0, bytes: 0, microseconds: 0)
    var touched: Set<String> = []
    for request in requests {
      let event = perform(request, for: number, in: &state)
      if case .appended(let appended) = event {
        touched.insert(appended.room)
        report.records += appended.records.count
        report.bytes += appended.records.reduce(0) { $0 + $1.bytes.count }
      }
      state.handles[number].unreported.append(event)
      tellOthers(event, than: number, in: &state)
    }
    guard report.records > 0 else { return }
    report.rooms = touched.count
    state.handles[number].figures.commits += 1
    state.handles[number].figures.records += UInt64(report.records)
    state.handles[number].figures.bytes += UInt64(report.bytes)
    state.handles[number].figures.batchRecords.add(UInt64(report.records))
    state.handles[number].unreported.append(.committed(report))
  }

  /// Reports an event to the other logs that follow the room.
  private func tellOthers(_ event: LogEvent, than number: Int, in state: inout State) {
    let told: (room: String, event: LogEvent)
    switch event {
    case .appended(var appended):
      appended.id = nil
      told = (appended.room, .appended(appended))
    case .deleted(_, let room, let epoch): told = (room, .deleted(id: nil, room: room, epoch: epoch))
    default: return
    }
    for other in state.handles.indices where other != number && state.handles[other].followed.contains(told.room) {
      state.handles[other].unreported.append(told.event)
    }
  }

  /// Calls the sinks until no log has unreported events, including events that arise during these calls.
  private func report() {
    while true {
      let next = state.withLock { state -> (number: Int, sink: LogSink, events: [LogEvent])? in
        let ready = state.handles.firstIndex { !$0.isReporting && !$0.unreported.isEmpty }
        guard let number = ready else { return nil }
        let events = state.handles[number].unreported
        state.handles[number].unreported = []
        state.handles[number].isReporting = true
        return (number, state.handles[number].sink, events)
      }
      guard let next else { return }
      next.sink(next.events)
      state.withLock { $0.handles[next.number].isReporting = false }
    }
  }

  /// Everything that is stored. Tests hand it to a later log, as if the server had restarted.
  var store: MemoryStore { state.withLock { $0.store } }

  // MARK: Answers

  private func perform(_ request: LogRequest, for number: Int, in state: inout State) -> LogEvent {
    do throws(LogError) {
      return try answer(request, for: number, in: &state)
    } catch {
      return .failed(id: request.id, room: request.room, error)
    }
  }

  private func answer(_ request: LogRequest, for number: Int, in state: inout State) throws(LogError) -> LogEvent {
    switch request {
    case .append(let append): return .appended(try state.store.append(append))
    case .read(let read): return .read(id: read.id, try state.store.read(read))
    case .load(let load): return .loaded(id: load.id, try state.store.load(load))
    case .follow(let follow):
      if let missed = try state.store.records(for: follow) {
        state.handles[number].unreported.append(.appended(missed))
      }
      state.handles[number].followed.insert(follow.room)
      return .following(id: follow.id, room: follow.room)
    case .unfollow(let id, let room):
      state.handles[number].followed.remove(room)
      return .unfollowed(id: id, room: room)
    case .resume(let id, let room): return .resumed(id: id, room: room)
    case .create(let create):
      try state.store.create(create)
      return .created(id: create.id, room: create.room)
    case .lock: throw .noLocks
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
      // Nothing is read from a disk, so no checksum can differ.
      var part = VerifiedPart()
      part.rooms = state.store.rooms.count
      return .verifiedPart(id: request.id, part)
    case .delete(let id, let name): return .deleted(id: id, room: name, epoch: try state.store.delete(name))
    case .list(let id):
      let rooms = state.store.rooms.values.map { $0.entry.summary() }
      return .rooms(id: id, rooms.sorted { $0.room < $1.room })
    case .retain(let id, let milliseconds):
      for name in state.store.rooms.keys.sorted() {
        let place = state.store.rooms[name]?.entry.trimmable(by: retention, milliseconds: milliseconds).last
        guard let place else { continue }
        let through = state.store.trim(name, to: place, retention: retention)
        state.handles[number].unreported.append(.trimmed(id: nil, room: name, through: through))
      }
      return .retained(id: id)
    }
  }
}
