import CanvasCRDT
import RoomLog

// What the log knows of a room's past.

extension Hub {
  /// A room as it was at some time, made from the newest snapshot before that time and the records after it.
  /// - Parameters:
  ///   - epoch: the open room's epoch. The room may have been deleted meanwhile, and another made of its name.
  ///   - actor: an actor whose operations are left out, as far back as records go.
  ///   - party: whose work this is. Work of different parties (clients' addresses or rooms) is done round-robin.
  func history(
    of room: String,
    epoch: UInt64,
    at end: RoomHistory.End,
    leavingOut actor: Identifier?,
    for party: String,
    seed: UInt64,
    triesLeft: Int = 2
  ) async -> Result<RoomHistory, HistoryError> {
    let bound: LogBound =
      switch end {
      case .position(let position): .position(position)
      case .time(let milliseconds, _): .milliseconds(milliseconds)
      }
    var isLoaded = false
    do throws(HistoryError) {
      var start = bound
      if actor != nil {
        // All records are read, from the oldest one on. Newer snapshots are not used, because the actor's operations
        // can't be left out of a snapshot.
        start = .position(try await load(room, epoch: epoch, wantsSnapshot: false).summary.trimmed)
      }
      var loaded = try await load(room, epoch: epoch, through: start)
      if case .time(_, let last) = end, loaded.snapshot?.place.position ?? 0 > last {
        // Another node made this snapshot, from records that this node hasn't received yet. So it can be newer than the
        // wanted state.
        loaded = try await load(room, epoch: epoch, through: .position(last))
      }
      isLoaded = true
      let snapshot = loaded.snapshot
      let folding = try await workOutPast(for: party) {
        let image = snapshot.flatMap { try? RoomImage($0.bytes, seed: seed) }
        return HistoryFolding(RoomHistory(end: end, image: image, leavingOut: actor, seed: seed))
      }
      // If the history can't be read to its end, nobody else has what was read so far.
      defer { free(folding, shapes: folding.history.canvas.shapeCount) }
      var after = folding.history.position
      while after < loaded.summary.last {
        let page = try await read(room, epoch: epoch, after: after, through: bound)
        switch try await workOutPast(for: party, { folding.fold(page.records) }) {
        case .goesOn: break
        case .isAtEnd: return .success(folding.history)
        case .unreadable: throw .unreadable("another form")
        case .missing(let position): throw .unreadable("the record at \(position) is missing")
        }
        guard page.through > after, !page.isLast else { break }
        after = page.through
      }
      return .success(folding.history)
    } catch {
      guard case .trimmed = error, isLoaded, triesLeft > 0 else { return .failure(error) }
      // Records were trimmed after the room was loaded, so the records to be read are gone. Loading again finds a newer
      // snapshot that gives the same result.
      return await history(
        of: room,
        epoch: epoch,
        at: end,
        leavingOut: actor,
        for: party,
        seed: seed,
        triesLeft: triesLeft - 1
      )
    }
  }

  /// A room's history in steps, as far back as the room's records go.
  /// - Parameter party: whose work this is. Work of different parties (clients' addresses or rooms) is done
  ///   round-robin.
  func steps(
    of room: String,
    epoch: UInt64,
    for party: String,
    triesLeft: Int = 2
  ) async -> Result<RoomSteps, HistoryError> {
    do throws(HistoryError) {
      let summary = try await load(room, epoch: epoch, wantsSnapshot: false).summary
      var steps = RoomSteps()
      var after = summary.trimmed
      while after < summary.last {
        let page = try await read(room, epoch: epoch, after: after, through: .position(summary.last))
        let before = steps
        guard let more = try await workOutPast(for: party, { before.taking(page.records) }) else {
          throw .unreadable("another form")
        }
        steps = more
        guard page.through > after, !page.isLast else { break }
        after = page.through
      }
      return .success(steps)
    } catch {
      guard case .trimmed = error, triesLeft > 0 else { return .failure(error) }
      // Records have been trimmed since the room was loaded. Another try returns the history from a later time on.
      return await steps(of: room, epoch: epoch, for: party, triesLeft: triesLeft - 1)
    }
  }

  /// The period for which a room's history can be read.
  func span(of room: String, epoch: UInt64) async -> RoomSpan? {
    guard let summary = try? await load(room, epoch: epoch, wantsSnapshot: false).summary else { return nil }
    return RoomSpan(
      createdMilliseconds: summary.createdMilliseconds,
      changedMilliseconds: summary.changedMilliseconds,
      operations: summary.operations
    )
  }

  private func load(
    _ room: String,
    epoch: UInt64,
    through bound: LogBound = .end,
    wantsSnapshot: Bool = true
  ) async throws(HistoryError) -> LoadedRoom {
    let loaded: LoadedRoom
    do throws(LogError) {
      loaded = try await ask(.load(room, through: bound, wantsSnapshot: wantsSnapshot))
    } catch {
      throw HistoryError(error)
    }
    guard loaded.summary.epoch == epoch else { throw .roomIsGone }
    return loaded
  }

  private func read(
    _ room: String,
    epoch: UInt64,
    after: UInt64,
    through bound: LogBound
  ) async throws(HistoryError) -> RecordPage {
    do throws(LogError) {
      return try await ask(.read(room, epoch: epoch, after: after, through: bound))
    } catch {
      throw HistoryError(error)
    }
  }

  private func workOutPast<Value: Sendable>(
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
