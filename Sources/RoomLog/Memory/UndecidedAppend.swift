/// An append to a log in memory whose outcome is unknown for a while, as happens with a database when a connection
/// breaks.
///
/// What always holds: nothing that comes after the append in its room's log is reported before the append is.
struct UndecidedAppend {
  /// What has become of the append. The log that made it doesn't know yet.
  enum Fate: CaseIterable { case stored, lost }

  static let fault = StorageFault.database("the connection broke while an append was under way")

  private let id: UInt64
  private let room: String
  /// What was stored. `nil` if nothing was.
  private let stored: AppendedRecords?
  /// The events to report after the append, in order.
  private var later: [LogEvent] = []

  init(_ request: AppendRequest, stored: AppendedRecords?) {
    id = request.id
    room = request.room
    self.stored = stored
  }

  /// Keeps an event that comes after the append in the room's log.
  /// - Returns: the event, if it can be reported now.
  mutating func hold(_ event: LogEvent) -> LogEvent? {
    guard let stored else { return event }
    switch event {
    case .appended(let appended) where appended.room == room && appended.epoch == stored.epoch:
      // A new follower may get records from before the append together with records from after it. The records from
      // before it can be reported now.
      var (before, after) = (appended, appended)
      before.records.removeAll { $0.position >= stored.records[0].position }
      after.records.removeAll { $0.position <= newest(of: stored) }
      if !after.records.isEmpty { later.append(.appended(after)) }
      return before.records.isEmpty ? nil : .appended(before)
    case .appended(let appended) where appended.room == room: later.append(event)
    case .following(_, room), .deleted(_, room, _): later.append(event)
    default: return event
    }
    return nil
  }

  /// The position of the newest record among the events that wait.
  private func newest(of stored: AppendedRecords) -> UInt64 {
    let kept = later.compactMap { event -> AppendedRecords? in
      if case .appended(let appended) = event, appended.epoch == stored.epoch { appended } else { nil }
    }
    return (kept.last ?? stored).records.last?.position ?? 0
  }

  /// The events to report once the log learns the outcome.
  var answer: [LogEvent] {
    guard let stored else { return [.failed(id: id, room: room, .unavailable(UndecidedAppend.fault))] }
    return [.appended(stored)] + later
  }
}
