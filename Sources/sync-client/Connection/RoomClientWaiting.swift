import CanvasCRDT
import WebSocketLoop

// Waiting: until the room is reached, until edits are acknowledged, until any other condition holds.

extension RoomClient {
  /// Waits until `condition` holds. It is checked after each event in the room.
  func wait(
    withinMilliseconds: UInt64? = nil,
    until condition: @escaping @ClientLoop (RoomClient) -> Bool
  ) async -> WaitEnd {
    await waiters.wait(withinMilliseconds: withinMilliseconds) { condition(self) }
  }

  /// Joins the room and waits until all of it has been loaded. The first attempt has to succeed: if no server answers,
  /// the user should know at once.
  func join(withinMilliseconds: UInt64 = 15_000) async throws {
    start()
    let end = await wait(withinMilliseconds: withinMilliseconds) { client in
      client.replica.state == .live || client.isClosedForGood || client.connectionWasRefused
    }
    switch end {
    case .fulfilled where replica.state == .live: return
    case .cancelled: throw CancellationError()
    case .fulfilled, .tooLate: throw ClientFailure.couldNotConnect(whyNot)
    }
  }

  /// Waits until the server has answered every edit. False if not a single answer came for that long. Many edits may
  /// take longer in all, since a server takes only a limited number a second.
  func settle(withinMilliseconds: UInt64 = 15_000) async throws -> Bool {
    while true {
      let before = replica.unsentCount
      let end = await wait(withinMilliseconds: withinMilliseconds) { client in
        client.replica.unsentCount == 0 || client.isClosedForGood
      }
      if end == .cancelled { throw CancellationError() }
      if end == .fulfilled || replica.unsentCount >= before { return replica.unsentCount == 0 }
    }
  }

  /// Whether the server refuses this client for good.
  var isClosedForGood: Bool {
    if case .closed = replica.state { return true }
    return false
  }

  private var connectionWasRefused: Bool {
    guard !hasBeenLive, let lastClosure else { return false }
    return lastClosure.cause.isBeforeItWasOpen
  }

  /// Why the room can't be reached.
  var whyNot: String {
    var code: UInt16?
    if case .closed(let final) = replica.state { code = final }
    return ConnectionWords.whyNot(server, room, finalCode: code, lastClosure, lastError: lastError)
  }
}
