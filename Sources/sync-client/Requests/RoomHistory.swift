import CanvasCRDT

/// The span of a room's history that the server keeps, in Unix milliseconds.
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

  /// Refuses a moment in the future, because the server would answer with the present.
  /// - Parameter moment: nil stands for no moment, and is never refused.
  @ClientLoop
  static func refuseFuture(
    _ moment: UInt64?,
    of room: RoomName,
    by requests: ServerRequests
  ) async throws {
    guard let moment, moment > Clocks.wallMilliseconds() else { return }
    let newest = try await fetch(room, by: requests).to
    // The moment is compared with the end of the kept span, because the server's clock may be ahead of this machine's
    // clock.
    guard moment > newest else { return }
    throw ClientFailure.usage(
      "\(TimeWords.shown(moment)) is in the future. The newest change of \(room.text) is of \(TimeWords.shown(newest))."
    )
  }
}

extension JSONValue {
  fileprivate var milliseconds: UInt64? { number.flatMap { UInt64(exactly: $0) } }
}
