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
  ///
  /// - Parameter tell: told what is waited for, if it takes long.
  func join(withinMilliseconds: UInt64 = 15_000, tell: (Delay) -> Void = { _ in }) async throws {
    start()
    let quiet = min(withinMilliseconds, Delay.silenceMilliseconds)
    var end = await waitToJoin(withinMilliseconds: quiet)
    if end == .tooLate, withinMilliseconds > quiet {
      tell(Delay(self))
      end = await waitToJoin(withinMilliseconds: withinMilliseconds - quiet)
    }
    switch end {
    case .fulfilled where replica.state == .live: return
    case .cancelled: throw CancellationError()
    case .fulfilled, .tooLate: throw ClientFailure.couldNotConnect(whyNot)
    }
  }

  private func waitToJoin(withinMilliseconds: UInt64) async -> WaitEnd {
    await wait(withinMilliseconds: withinMilliseconds) { client in
      client.replica.state == .live || client.isClosedForGood || client.connectionWasRefused
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
