import CanvasCRDT
import WebSocketLoop

// Expensive reads of large rooms run beside the loop, in the turn of the address that asks.

extension RoomService {
  nonisolated func party(of request: Request) -> String { NetworkAddress.party(of: address(of: request)) }

  /// Makes an answer beside the loop. If the client leaves before its turn comes, the answer is not made.
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
    // Only a client that has closed just one direction of its connection gets this.
    case .cancelled: unavailable("the connection was closed before the answer was made")
    }
  }
}
