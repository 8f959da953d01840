import LogSupport

@testable import RoomLog

/// An append of a `DoubtfulLog` whose outcome is unknown for a while.
///
/// What always holds: an event that comes after the append in its room is reported only after the append's outcome.
struct UndecidedAppend {
  /// What became of the append. The log that made it doesn't know this yet.
  enum Fate: CaseIterable { case stored, lost }

  static let fault = StorageFault.database("the connection broke while an append was under way")

  private let id: UInt64
  private let room: String
  /// What was stored. `nil` if nothing was.
  private var stored: AppendedRecords?
  /// Whether the rooms have the append, or refuse it.
  private(set) var isKnown: Bool
  /// Whether the outcome is to be told.
  var isDue = false
  /// The events to report after the append, in order.
  private var later: [LogEvent] = []

  init(_ request: AppendRequest, _ fate: Fate) {
    id = request.id
    room = request.room
    isKnown = fate == .lost
  }

  /// Keeps an event that comes after the append in the same room, until the append is reported.
  /// - Returns: the event, or the part of it that can be reported now.
  mutating func hold(_ event: LogEvent) -> LogEvent? {
    if event.id == id {
      stored = event.appended
      isKnown = true
      return nil
    }
    guard let stored else { return event }
    switch event {
    case .appended(let appended) where appended.room == room && appended.epoch == stored.epoch:
      // The event can have records from before and from after the undecided append. Only the records from before it are
      // reported now.
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

  /// The position of the newest record that waits in `later`. If none waits, the position of the append's last record.
  private func newest(of stored: AppendedRecords) -> UInt64 {
    let kept = later.compactMap { event -> AppendedRecords? in
      if case .appended(let appended) = event, appended.epoch == stored.epoch { appended } else { nil }
    }
    return (kept.last ?? stored).records.last?.position ?? 0
  }

  /// The events to report when the outcome becomes known.
  var answer: [LogEvent] {
    guard let stored else { return [.failed(id: id, room: room, .unavailable(UndecidedAppend.fault))] }
    return [.appended(stored)] + later
  }
}
