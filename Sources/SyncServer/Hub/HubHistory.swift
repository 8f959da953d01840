import CanvasCRDT
import RoomLog

// What the log knows of a room's past.

extension Hub {
  /// A room as it was at some time, made from the newest snapshot before that time and the records after it.
  /// - Parameters:
  ///   - actor: an actor whose operations are left out, as far back as records go.
  ///   - party: whose work this is. Work of different parties (clients' addresses or rooms) is done round-robin.
  func history(
    of open: OpenRoom,
    at end: RoomHistory.End,
    leavingOut actor: Identifier?,
    for party: String
  ) async throws(HistoryError) -> RoomHistory {
    // The room may be deleted meanwhile, and another made of its name.
    let (room, epoch, seed) = (open.name, open.room.epoch, generator.next())
    var triesLeft = Hub.readingsAgain
    while true {
      let loaded = try await load(room, epoch: epoch, at: end, leavingOut: actor)
      do throws(HistoryError) {
        return try await fold(loaded, at: end, leavingOut: actor, for: party, seed: seed)
      } catch {
        // Records were trimmed after the room was loaded, so the records to be read are gone. Loading again finds a newer
        // snapshot that gives the same result.
        guard case .trimmed = error, triesLeft > 0 else { throw error }
        triesLeft -= 1
      }
    }
  }

  /// How many more times history is read if the log has trimmed it meanwhile.
  private static let readingsAgain = 2

  private func load(
    _ room: String,
    epoch: UInt64,
    at end: RoomHistory.End,
    leavingOut actor: Identifier?
  ) async throws(HistoryError) -> LoadedRoom {
    var start = end.bound
    if actor != nil {
      // All records are read, from the oldest one on. Newer snapshots are not used, because the actor's operations
      // can't be left out of a snapshot.
      start = .position(try await load(room, epoch: epoch, wantsSnapshot: false).summary.trimmed)
    }
    do throws(HistoryError) { return try await load(room, epoch: epoch, through: start) } catch {
      guard case .trimmed = error else { throw error }
      let loaded = try await load(room, epoch: epoch, wantsSnapshot: false)
      guard end.isBefore(loaded.summary) else { throw error }
      return loaded
    }
  }

  private func fold(
    _ loaded: LoadedRoom,
    at end: RoomHistory.End,
    leavingOut actor: Identifier?,
    for party: String,
    seed: UInt64
  ) async throws(HistoryError) -> RoomHistory {
    let (summary, snapshot) = (loaded.summary, loaded.snapshot)
    let folding = try await workOutPast(for: party) {
      let image = snapshot.flatMap { try? RoomImage($0.bytes, seed: seed) }
      return HistoryFolding(RoomHistory(end: end, image: image, leavingOut: actor, seed: seed))
    }
    // If the history can't be read to its end, nobody else has what was read so far.
    defer { free(folding, shapes: folding.history.canvas.shapeCount) }
    // Of the time before the room's first record no record is found, from wherever it is looked for.
    var after = snapshot == nil ? summary.trimmed : folding.history.position
    while after < summary.last {
      let page = try await read(.read(summary.room, epoch: summary.epoch, after: after, through: end.bound))
      switch try await workOutPast(for: party, { folding.fold(page.records) }) {
      case .goesOn: break
      case .isAtEnd: return folding.history
      case .unreadable: throw .unreadable("another form")
      case .missing(let position): throw .unreadable("the record at \(position) is missing")
      }
      guard page.through > after, !page.isLast else { break }
      after = page.through
    }
    return folding.history
  }

  /// A room's history in steps, as far back as the room's records go.
  /// - Parameter party: whose work this is. Work of different parties (clients' addresses or rooms) is done
  ///   round-robin.
  func steps(of open: OpenRoom, for party: String) async throws(HistoryError) -> RoomSteps {
    let (room, epoch) = (open.name, open.room.epoch)
    var triesLeft = Hub.readingsAgain
    while true {
      do throws(HistoryError) {
        return try await steps(of: load(room, epoch: epoch, wantsSnapshot: false).summary, for: party)
      } catch {
        // Records have been trimmed since the room was loaded. Another try returns the history from a later time on.
        guard case .trimmed = error, triesLeft > 0 else { throw error }
        triesLeft -= 1
      }
    }
  }

  private func steps(of room: RoomSummary, for party: String) async throws(HistoryError) -> RoomSteps {
    var steps = RoomSteps()
    var after = room.trimmed
    while after < room.last {
      let page = try await read(.read(room.room, epoch: room.epoch, after: after, through: .position(room.last)))
      let before = steps
      guard let more = try await workOutPast(for: party, { before.taking(page.records) }) else {
        throw .unreadable("another form")
      }
      steps = more
      guard page.through > after, !page.isLast else { break }
      after = page.through
    }
    return steps
  }

  /// The period for which a room's history can be read.
  func span(of open: OpenRoom) async throws(HistoryError) -> RoomSpan {
    let loaded = try await load(open.name, epoch: open.room.epoch, wantsSnapshot: false)
    let (summary, base) = (loaded.summary, loaded.base)
    return RoomSpan(
      fromMilliseconds: base?.milliseconds ?? summary.createdMilliseconds,
      toMilliseconds: summary.changedMilliseconds,
      operations: summary.operations - min(summary.operations, base?.operations ?? 0)
    )
  }

  private func load(
    _ room: String,
    epoch: UInt64,
    through bound: LogBound = .end,
    wantsSnapshot: Bool = true
  ) async throws(HistoryError) -> LoadedRoom {
    let loaded = try await read(.load(room, through: bound, wantsSnapshot: wantsSnapshot))
    guard loaded.summary.epoch == epoch else { throw .roomIsGone }
    return loaded
  }

  func read<Answer>(_ question: LogQuestion<Answer>) async throws(HistoryError) -> Answer {
    do throws(LogError) { return try await ask(question) } catch { throw HistoryError(error) }
  }

  func workOutPast<Value: Sendable>(
    for party: String,
    _ work: @escaping @Sendable () -> Value
  ) async throws(HistoryError) -> Value {
    do throws(HeavyWork.Refusal) {
      return try await workOut(for: party, work)
    } catch {
      throw .refused(error)
    }
  }
}

extension RoomHistory.End {
  fileprivate var bound: LogBound {
    switch self {
    case .position(let position): .position(position)
    case .time(let milliseconds): .milliseconds(milliseconds)
    }
  }

  /// Whether it is before the room's first record. There the room is empty, whatever of its history is kept.
  fileprivate func isBefore(_ room: RoomSummary) -> Bool {
    switch self {
    case .position(let position): position == 0
    case .time(let milliseconds): milliseconds < room.createdMilliseconds
    }
  }
}

/// Applies a room's records up to some time in the past, a page of records at a time, on another thread.
///
/// `@unchecked Sendable`: only one task has this object, and it waits for each piece of work that uses the object.
private final class HistoryFolding: @unchecked Sendable {
  private(set) var history: RoomHistory

  init(_ history: consuming RoomHistory) { self.history = history }

  enum Outcome {
    case goesOn
    case isAtEnd
    case unreadable
    case missing(UInt64)
  }

  func fold(_ records: [LogRecord]) -> Outcome {
    for record in records {
      guard let stored = StoredOperations(record.bytes) else { return .unreadable }
      do throws(MissingRecord) {
        guard try history.fold(RoomRecord(record, stored)) else { return .isAtEnd }
      } catch {
        return .missing(error.position)
      }
    }
    return .goesOn
  }
}

extension RoomSteps {
  /// The steps so far, with those of `records` added.
  /// - Returns: `nil` if a record can't be read.
  fileprivate func taking(_ records: [LogRecord]) -> RoomSteps? {
    var steps = self
    for record in records {
      guard let stored = StoredOperations(record.bytes) else { return nil }
      steps.take(RoomRecord(record, stored))
    }
    return steps
  }
}

extension HistoryError {
  init(_ error: LogError) {
    switch error {
    case .trimmed: self = .trimmed
    case .otherEpoch: self = .roomIsGone
    default: self = .unreadable("\(error)")
    }
  }
}
