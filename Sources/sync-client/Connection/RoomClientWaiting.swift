import CanvasCRDT

// Waiting: until the room is reached, until edits are acknowledged, until any other condition holds.

extension RoomClient: RoomJoining {
  /// Waits until `condition` holds. It is checked after each event in the room.
  func wait(
    withinMilliseconds: UInt64? = nil,
    until condition: @escaping @ClientLoop (RoomClient) -> Bool
  ) async -> WaitEnd {
    await waiters.wait(withinMilliseconds: withinMilliseconds) { condition(self) }
  }

  /// Whether the server has let the client in and the whole drawing has arrived.
  var hasReachedRoom: Bool { replica.state == .live }

  var hasEverReachedRoom: Bool { hasBeenLive }

  /// Whether the server refuses this client for good.
  var isClosedForGood: Bool {
    if case .closed = replica.state { return true }
    return false
  }

  /// Why the room can't be reached.
  var whyNot: String {
    var code: UInt16?
    if case .closed(let final) = replica.state { code = final }
    return ConnectionWords.whyNot(server, room, finalCode: code, lastClosure, lastError: lastError)
  }

  /// Why it takes long to enter the room, or to get an answer to an edit.
  var delay: Delay {
    if let postponement = replica.postponement {
      return Delay(code: Text(postponement.code.wireName).string, words: postponement.words)
    }
    guard replica.state.isJoined else { return Delay(notJoined: self) }
    return Delay(code: "not_answered", words: "the server has not answered")
  }
}
