import CanvasCRDT
import WebSocketLoop

// A room as it is, or as it was.

extension RoomService {
  /// Makes the answer from the room as it is now, or as it was at the cursor or time in `?at=`. What the room still is
  /// isn't looked for in the log. The log may have trimmed it, if this node hasn't received what came after it.
  func seeing(
    _ room: OpenedRoom,
    _ request: Request,
    _ answer: (RoomView) async -> Response
  ) async -> Response {
    guard let at = request.parameter("at") else { return await seeingNow(room, request, answer) ?? .roomIsGone }
    guard var seen = standing(of: room) else { return .roomIsGone }
    let end: RoomHistory.End
    if let milliseconds = UInt64(at) {
      guard milliseconds < changedMilliseconds(of: room) else {
        return await stillSeeing(room, request, while: { _ in milliseconds >= changedMilliseconds(of: room) }, answer)
      }
      end = .time(milliseconds)
    } else {
      guard let cursor = RoomCursor(Cursor(Text(at))) else {
        return .error(400, code: "bad_request", message: "at must be a cursor or a time in Unix milliseconds")
      }
      if cursor.position > seen.position {
        if let fault = await catchUp(room) { return .unavailable(fault) }
        guard let newer = standing(of: room) else { return .roomIsGone }
        seen = newer
      }
      guard let position = seen.places.position(of: cursor, upTo: seen.position) else {
        return .error(
          409,
          code: "other_cursor",
          message:
            "this cursor is not from the room as it is now: the room was deleted or restored, or the cursor is too old"
        )
      }
      guard position < seen.position else {
        return await stillSeeing(room, request, while: { $0.position == position }, answer)
      }
      end = .position(position)
    }
    switch await readingHistory(of: room, at: end, leavingOut: nil, request) {
    case .failure(let refusal): return refusal.response
    case .success(let history):
      // The permit is returned only when the answer is made, because the past state of the room takes up memory until
      // then.
      defer {
        requestBook.historyTurns.leave(party(of: request))
        free(history, shapes: history.canvas.shapeCount)
      }
      return await answer(
        RoomView(
          name: seen.name,
          places: RoomPlaces(epoch: seen.places.epoch, runs: history.runs),
          position: history.position,
          canvas: history.canvas
        )
      )
    }
  }

  /// Makes the answer from the room as it is now, if that is still what `?at=` asks for. The room may go on while the
  /// request waits for its turn.
  private func stillSeeing(
    _ room: OpenedRoom,
    _ request: Request,
    while isAsked: (RoomView) -> Bool,
    _ answer: (RoomView) async -> Response
  ) async -> Response {
    if let response = await seeingNow(room, request, while: isAsked, answer) { return response }
    return await seeing(room, request, answer)
  }

  /// - Returns: the answer. `nil` if the room is no longer as the request asks for it.
  private func seeingNow(
    _ room: OpenedRoom,
    _ request: Request,
    while isAsked: (RoomView) -> Bool = { _ in true },
    _ answer: (RoomView) async -> Response
  ) async -> Response? {
    var isThere = true
    let response = await copying(room, request) {
      guard let view = view(of: room) else { return .roomIsGone }
      defer { drop(view, of: room) }
      isThere = isAsked(view)
      return isThere ? await answer(view) : .roomIsGone
    }
    return isThere ? response : nil
  }

  /// What is known of a room as it is now, without a copy of its content.
  private func standing(of room: OpenedRoom) -> (name: Text, places: RoomPlaces, position: UInt64)? {
    view(of: room).map { ($0.name, $0.places, $0.position) }
  }

  /// Waits for a permit (turn) to read history, and reads a room as it was. If the read succeeds, the caller has to
  /// return the permit.
  func readingHistory(
    of room: OpenedRoom,
    at end: RoomHistory.End,
    leavingOut actor: Identifier?,
    _ request: Request
  ) async -> Result<RoomHistory, RefusedReading> {
    let party = party(of: request)
    guard await takeHistoryTurn(party) else { return .failure(.tooMany) }
    do throws(HistoryError) {
      return .success(try await history(of: room, at: end, leavingOut: actor, for: party))
    } catch {
      requestBook.historyTurns.leave(party)
      return .failure(RefusedReading(response: .refusing(error)))
    }
  }

  /// Waits for a permit (turn) to read history, and reads a room's steps.
  func readingSteps(of room: OpenedRoom, _ request: Request) async -> Result<RoomSteps, RefusedReading> {
    let party = party(of: request)
    guard await takeHistoryTurn(party) else { return .failure(.tooMany) }
    defer { requestBook.historyTurns.leave(party) }
    do throws(HistoryError) { return .success(try await steps(of: room, for: party)) } catch {
      return .failure(RefusedReading(response: .refusing(error)))
    }
  }

  /// Waits for a permit (turn) to read history.
  /// - Returns: false if none became free in time, or the client has left.
  func takeHistoryTurn(_ party: String) async -> Bool { await takeTurn(party, of: \.historyTurns) }

  func takeTurn(_ party: String, of turns: RequestBook.Turns) async -> Bool {
    if requestBook[keyPath: turns].take(party) { return true }
    guard let number = requestBook[keyPath: turns].mayWait(party) else { return false }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { turn in
        guard !Task.isCancelled else { return turn.resume(returning: false) }
        requestBook[keyPath: turns].wait(number, party, turn, now: now.monotonicMilliseconds)
      }
    } onCancel: {
      withdraw(turn: number, of: turns)
    }
  }
}

/// The answer to a request whose history could not be read.
struct RefusedReading: Error {
  let response: Response

  /// No permit (turn) to read history became free.
  static var tooMany: RefusedReading {
    let response = Response.error(429, code: "rate_limited", message: "too many requests are reading rooms")
    return RefusedReading(response: response.retried(afterSeconds: 1))
  }
}

extension Response {
  static func refusing(_ error: HistoryError) -> Response {
    switch error {
    case .refused(let refusal): .refusing(refusal)
    case .trimmed: .error(404, code: "not_kept", message: "history this old is no longer kept")
    case .roomIsGone: .roomIsGone
    case .unreadable(let words): .unreadable(words)
    }
  }
}
