import CanvasCRDT

// Waiting for conditions, such as that the room is reached or edits are acknowledged.

extension RoomClient: RoomJoining {
  /// Waits until `condition` holds. The condition is checked after each event in the room.
  func wait(
    withinMilliseconds: UInt64? = nil,
    until condition: @escaping @ClientLoop (RoomClient) -> Bool
  ) async -> WaitEnd {
    await waiters.wait(withinMilliseconds: withinMilliseconds) { condition(self) }
  }

  /// Whether the whole drawing has arrived.
  var hasReachedRoom: Bool { replica.state == .live }

  var hasEverReachedRoom: Bool { hasBeenLive }

  /// Whether the server has refused this client for good, so that a retry would be useless.
  var isClosedForGood: Bool {
    if case .closed = replica.state { return true }
    return false
  }

  /// Why the room can't be reached, for the user.
  var whyNot: String {
    var code: UInt16?
    if case .closed(let final) = replica.state { code = final }
    return ConnectionWords.whyNot(server, room, finalCode: code, lastClosure, lastError: lastError)
  }

  /// Why joining the room or getting an answer takes long.
  var delay: Delay {
    if let postponement = replica.postponement {
      return Delay(code: Text(postponement.code.wireName).string, words: postponement.words)
    }
    guard replica.state.isJoined else { return Delay(notJoined: self) }
    return Delay(code: "not_answered", words: "the server has not answered")
  }
}
