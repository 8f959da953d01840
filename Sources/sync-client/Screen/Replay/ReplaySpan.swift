import CanvasCRDT

/// The part of a room's history to play: what the user asked for, or everything that the server has.
struct ReplaySpan: Hashable, Sendable {
  var from: UInt64
  var to: UInt64

  var milliseconds: UInt64 { to - from }

  /// The default speed: the lowest of 1, 2, 5, 10, 20 … with which playing takes at most a minute.
  var speed: Double {
    let wanted = Double(milliseconds) / 60_000
    var speed = 1.0
    var factors = [2.0, 2.5, 2.0]
    while speed < wanted {
      speed *= factors[0]
      factors = [factors[1], factors[2], factors[0]]
    }
    return speed
  }

  @ClientLoop
  static func find(
    _ room: RoomName,
    by requests: ServerRequests,
    from: UInt64?,
    to: UInt64?
  ) async throws -> ReplaySpan {
    try await RoomHistory.refuseFuture(from, of: room, by: requests)
    if let from, let to, from >= to { throw ClientFailure.usage("--from must be before --to") }
    let history = try await RoomHistory.fetch(room, by: requests)
    let begins = from ?? history.from
    // Playing ends a little after the last change, so that the user sees that change.
    let ends = min(to ?? .max, history.to + 1_000)
    guard begins < ends else {
      throw ClientFailure.usage("there is nothing to replay \(from == nil ? "before --to" : "after --from")")
    }
    return ReplaySpan(from: begins, to: ends)
  }
}
