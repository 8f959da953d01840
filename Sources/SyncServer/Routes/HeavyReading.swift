import CanvasCRDT
import WebSocketLoop

// Expensive reads of large rooms are done by other threads, which serve addresses round-robin.

extension RoomService {
  nonisolated func party(of request: Request) -> String { NetworkAddress.party(of: address(of: request)) }

  /// Drops a copy of a room. If the room has changed or is gone, this may be the last copy of what it had, so it is freed
  /// on another thread. Otherwise nothing is freed with it.
  func drop(_ view: RoomView, of room: OpenedRoom) {
    guard self.view(of: room)?.position != view.position else { return }
    free(view, shapes: view.canvas.shapeCount)
  }

  /// Waits for a permit to have a copy of a room, which can be all that is left of how the room was. So requests don't
  /// fill the memory with copies while they wait for a thread. Small rooms need no permit.
  /// - Returns: whether the caller has to give back a permit. `nil` if none became free.
  func takeCopyTurn(
    _ room: OpenedRoom,
    _ request: Request,
    of turns: RequestBook.Turns = \.copyTurns
  ) async -> Bool? {
    guard let shapes = view(of: room)?.canvas.shapeCount, shapes >= HeavyWork.shapesWorthAThread else { return false }
    return await takeTurn(party(of: request), of: turns) ? true : nil
  }

  /// Makes an answer that needs a copy of a room, or of its index of overlaps.
  func copying(
    _ room: OpenedRoom,
    _ request: Request,
    of turns: RequestBook.Turns = \.copyTurns,
    _ answer: () async -> Response
  ) async -> Response {
    guard let hasTurn = await takeCopyTurn(room, request, of: turns) else { return RefusedReading.tooMany.response }
    defer { if hasTurn { requestBook[keyPath: turns].leave(party(of: request)) } }
    return await answer()
  }

  /// Makes an answer on another thread. If the client leaves before that begins, the answer is not made.
  func heavily(_ request: Request, _ answer: @escaping @Sendable () -> Response) async -> Response {
    do throws(HeavyWork.Refusal) {
      return try await workOut(for: party(of: request), answer)
    } catch {
      return .refusing(error)
    }
  }
}

extension Response {
  static func refusing(_ refusal: HeavyWork.Refusal) -> Response {
    switch refusal {
    case .busy:
      error(429, code: "rate_limited", message: "too many requests from your address are waiting")
        .retried(afterSeconds: 1)
    // The client gets this answer only if it has closed no more than its sending direction, and still reads.
    case .cancelled: unavailable("the connection was closed before the answer was made")
    }
  }
}
