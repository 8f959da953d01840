import CanvasCRDT
import WebSocketLoop

// Waiting for what becomes of a room: until it is reached, until edits are acknowledged, until anything else.

extension RoomClient {
  /// Waits until `condition` holds, which is looked at after everything that happens in the room.
  func wait(
    withinMilliseconds: UInt64? = nil,
    until condition: @escaping @ClientLoop (RoomClient) -> Bool
  ) async -> WaitEnd {
    await waiters.wait(withinMilliseconds: withinMilliseconds) { condition(self) }
  }

  /// Comes into the room and waits until all of it is here. The first attempt has to succeed: a server that isn't there
  /// is said at once, rather than waited for.
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

  /// Waits until the server has answered for every edit. No where nothing at all was answered for so long: many edits
  /// take their time, since a server takes so many a second.
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

  /// The server will not have us, however often we ask.
  var isClosedForGood: Bool {
    if case .closed = replica.state { return true }
    return false
  }

  private var connectionWasRefused: Bool {
    guard !hasBeenLive, let lastClosure else { return false }
    return lastClosure.cause.isBeforeItWasOpen
  }

  /// Why the room can't be reached, in words.
  var whyNot: String {
    var code: UInt16?
    if case .closed(let final) = replica.state { code = final }
    return ConnectionWords.whyNot(server, room, finalCode: code, lastClosure, lastError: lastError)
  }
}
