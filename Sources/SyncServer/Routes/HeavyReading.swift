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
