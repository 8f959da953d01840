import CanvasCRDT
import RoomLog

// Questions to the log about a room's past.

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
    var start = bound
    if actor != nil {
      // All records are read, from the oldest one on. Newer snapshots are not used, because the actor's operations can't
      // be left out of a snapshot.
      let event = await ask { .load(LoadRequest(id: $0, room: room, wantsSnapshot: false)) }
      guard case .loaded(_, let loaded) = event else { return .failure(HistoryError(event)) }
      guard loaded.summary.epoch == epoch else { return .failure(.roomIsGone) }
      start = .position(loaded.summary.trimmed)
    }
    var event = await ask { .load(LoadRequest(id: $0, room: room, through: start)) }
    if case .time(_, let last) = end, case .loaded(_, let loaded) = event, loaded.snapshot?.place.position ?? 0 > last {
      // Another node made this snapshot, from records that this node hasn't received yet. So it can be newer than the
      // wanted state.
      event = await ask { .load(LoadRequest(id: $0, room: room, through: .position(last))) }
    }
    guard case .loaded(_, let loaded) = event else { return .failure(HistoryError(event)) }
    guard loaded.summary.epoch == epoch else { return .failure(.roomIsGone) }
    do throws(HeavyWork.Refusal) {
      let folding = try await workOut(for: party) {
        let image = loaded.snapshot.flatMap { try? RoomImage($0.bytes, seed: seed) }
        return HistoryFolding(RoomHistory(end: end, image: image, leavingOut: actor, seed: seed))
      }
      // If the history can't be read to its end, nobody else has what was read so far.
      defer { free(folding, shapes: folding.history.canvas.shapeCount) }
      var after = folding.history.position
      while after < loaded.summary.last {
        let event = await ask {
          .read(ReadRequest(id: $0, room: room, epoch: epoch, after: after, through: bound))
        }
        guard case .read(_, let page) = event else {
          // Records were trimmed after the room was loaded, so the records to be read are gone. Loading again finds a
          // newer snapshot that gives the same result.
          if case .failed(_, _, .trimmed) = event, triesLeft > 0 {
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
          return .failure(HistoryError(event))
        }
        switch try await workOut(for: party, { folding.fold(page.records) }) {
        case .goesOn: break
        case .isAtEnd: return .success(folding.history)
        case .unreadable: return .failure(.unreadable("another form"))
        case .missing(let position): return .failure(.unreadable("the record at \(position) is missing"))
        }
        guard page.through > after, !page.isLast else { break }
        after = page.through
      }
      return .success(folding.history)
    } catch {
      return .failure(.refused(error))
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
    let event = await ask { .load(LoadRequest(id: $0, room: room, wantsSnapshot: false)) }
    guard case .loaded(_, let loaded) = event else { return .failure(HistoryError(event)) }
    guard loaded.summary.epoch == epoch else { return .failure(.roomIsGone) }
    let last = loaded.summary.last
    var steps = RoomSteps()
    var after = loaded.summary.trimmed
    do throws(HeavyWork.Refusal) {
      while after < last {
        let event = await ask {
          .read(
            ReadRequest(id: $0, room: room, epoch: epoch, after: after, through: .position(last))
          )
        }
        guard case .read(_, let page) = event else {
          // Records have been trimmed since the room was loaded. Another try returns the history from a later time on.
          if case .failed(_, _, .trimmed) = event, triesLeft > 0 {
            return await self.steps(of: room, epoch: epoch, for: party, triesLeft: triesLeft - 1)
          }
          return .failure(HistoryError(event))
        }
        let before = steps
        guard let more = try await workOut(for: party, { before.taking(page.records) }) else {
          return .failure(.unreadable("another form"))
        }
        steps = more
        guard page.through > after, !page.isLast else { break }
        after = page.through
      }
      return .success(steps)
    } catch {
      return .failure(.refused(error))
    }
  }

  /// The period for which a room's history can be read.
  func span(of room: String, epoch: UInt64) async -> RoomSpan? {
    let event = await ask { .load(LoadRequest(id: $0, room: room, wantsSnapshot: false)) }
    guard case .loaded(_, let loaded) = event, loaded.summary.epoch == epoch else { return nil }
    return RoomSpan(
      createdMilliseconds: loaded.summary.createdMilliseconds,
      changedMilliseconds: loaded.summary.changedMilliseconds,
      operations: loaded.summary.operations
    )
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
  init(_ event: LogEvent) {
    switch event {
    case .failed(_, _, .trimmed): self = .trimmed
    case .failed(_, _, .otherEpoch): self = .roomIsGone
    default: self = .unreadable(event.words)
    }
  }
}
