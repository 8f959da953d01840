import Basics
import CanvasCRDT

/// The time span of a room's history on the server, in Unix milliseconds.
struct RoomHistory: Hashable, Sendable {
  let from: UInt64
  let to: UInt64

  @ClientLoop
  static func fetch(_ room: RoomName, by requests: ServerRequests) async throws -> RoomHistory {
    let bytes = try await requests.get(room.path("/history"), of: room.text)
    let history = JSONValue(bytes)
    guard let from = history?["from"]?.milliseconds, let to = history?["to"]?.milliseconds else {
      throw ClientFailure.failed("\(requests.server.authority): the answer about the history is malformed")
    }
    return RoomHistory(from: from, to: to)
  }

  /// Refuses a time in the future, because the server would answer with the present drawing.
  /// - Parameter moment: `nil` is never refused.
  @ClientLoop
  static func refuseFuture(
    _ moment: UInt64?,
    of room: RoomName,
    by requests: ServerRequests
  ) async throws {
    guard let moment, moment > WallClock.milliseconds() else { return }
    let newest = try await fetch(room, by: requests).to
    // The server's clock may be ahead of this computer's clock. So any time before the end of the kept history is
    // accepted.
    guard moment > newest else { return }
    throw ClientFailure.usage(
      "\(TimeWords.shown(moment)) is in the future. The newest change of \(room.text) is of \(TimeWords.shown(newest))."
    )
  }
}

extension JSONValue {
  fileprivate var milliseconds: UInt64? { number.flatMap { UInt64(exactly: $0) } }
}
