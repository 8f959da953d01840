import Synchronization

/// State that the threads and the callers of a log share.
final class SharedFigures: Sendable {
  private let figures = Mutex(LogStatistics())
  private let damages = Mutex<[Int64: Damage]>([:])
  /// Rooms with a damaged snapshot. Such a room is refused only if no older snapshot or records can replace it.
  private let damagedSnapshots = Mutex<Set<Int64>>([])
  private let heldReading = Atomic(false)

  struct Damage: Sendable {
    var room: String
    var position: UInt64
    /// Whether a newer snapshot covers the damaged records, so that the room can be opened in spite of the damage.
    var isHistory: Bool

    var error: LogError { .damaged(room: room, position: position) }
  }

  /// Whether the reading thread should not begin another read for now.
  var isReadingHeld: Bool { heldReading.load(ordering: .relaxed) }
  func holdReading(_ isHeld: Bool) { heldReading.store(isHeld, ordering: .relaxed) }

  func update(_ change: (inout LogStatistics) -> Void) { figures.withLock { change(&$0) } }

  var statistics: LogStatistics {
    var figures = figures.withLock { $0 }
    let damaged = damages.withLock { Set($0.keys) }
    figures.damagedRooms = damagedSnapshots.withLock { damaged.union($0).count }
    return figures
  }

  /// Notes damage of a room. If a room is damaged at two positions, only one is kept: damage that prevents opening is
  /// preferred, and then the lower position.
  func note(_ damage: Damage, room number: Int64) {
    damages.withLock { damages in
      if let known = damages[number], known.position <= damage.position, known.isHistory == damage.isHistory { return }
      if let known = damages[number], !known.isHistory, damage.isHistory { return }
      damages[number] = damage
    }
  }

  func hasDamagedSnapshot(room number: Int64) -> Bool { damagedSnapshots.withLock { $0.contains(number) } }

  func damage(room number: Int64) -> Damage? { damages.withLock { $0[number] } }

  func clearDamage(room number: Int64) {
    damages.withLock { $0[number] = nil }
    noteSnapshots(areDamaged: false, room: number)
  }

  /// Must be called when records are dropped. Damage among them is gone.
  func clearDamage(room number: Int64, through position: UInt64) {
    changeDamage(room: number, through: position) { $0 = nil }
  }

  /// Must be called when all records of a room up to a position were read and are sound.
  func noteSound(room number: Int64, through position: UInt64) {
    damages.withLock { if let known = $0[number], known.position <= position { $0[number] = nil } }
  }

  /// Must be called when there are no rooms with numbers above one and up to another.
  func clearDamage(roomsAfter lower: Int64, through upper: Int64) {
    func isGone(_ number: Int64) -> Bool { number > lower && number <= upper }
    damages.withLock { $0 = $0.filter { !isGone($0.key) } }
    damagedSnapshots.withLock { $0 = $0.filter { !isGone($0) } }
  }

  /// Remembers whether a room has snapshots that are known to be damaged.
  func noteSnapshots(areDamaged: Bool, room number: Int64) {
    damagedSnapshots.withLock { if areDamaged { $0.insert(number) } else { $0.remove(number) } }
  }

  /// Must be called when a snapshot is complete. Damage up to the snapshot's position no longer prevents opening the
  /// room.
  func cover(room number: Int64, through position: UInt64) {
    changeDamage(room: number, through: position) { $0?.isHistory = true }
  }

  /// Changes what is known of a room's damage, if that is among the records up to a position.
  private func changeDamage(room number: Int64, through position: UInt64, _ change: (inout Damage?) -> Void) {
    damages.withLock { damages in
      guard let known = damages[number], known.position > 0, known.position <= position else { return }
      change(&damages[number])
    }
  }

  /// The damage that keeps the room from being opened, if any.
  func refusal(room number: Int64) -> LogError? {
    guard let damage = damage(room: number), !damage.isHistory else { return nil }
    return damage.error
  }
}

/// Calls the sink for all threads of a log, one call at a time.
final class Outlet: Sendable {
  private let turn = Mutex(())
  private let sink: LogSink

  init(sink: @escaping LogSink) { self.sink = sink }

  func tell(_ events: [LogEvent]) {
    guard !events.isEmpty else { return }
    turn.withLock { _ in sink(events) }
  }
}
