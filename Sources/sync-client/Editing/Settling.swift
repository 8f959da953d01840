import CanvasCRDT

/// How the wait for the answers to an edit ended.
enum SettleEnd: Hashable, Sendable {
  case answered
  case tooLate
  case interrupted
  /// The server refuses the client for good.
  case closed
}

extension RoomClient {
  /// How long to wait, after the user has interrupted, for answers that are on their way. A healthy server takes less.
  private static let partingMilliseconds: UInt64 = 400

  /// Waits until the server has answered every edit. Gives up if no answer at all comes for `patience`. Many edits may
  /// take longer in total, since a server takes only a limited number a second.
  ///
  /// - Parameter tell: is called with the reason, once in each silence.
  func settle(withinMilliseconds patience: UInt64, tell: (Delay) -> Void) async -> SettleEnd {
    var left = replica.unsentCount
    var isTold = false
    while left > 0 {
      let most = left
      let quiet = min(patience, Delay.silenceMilliseconds)
      let end = await wait(withinMilliseconds: isTold ? patience - quiet : quiet) { client in
        client.replica.unsentCount < most || client.isClosedForGood
      }
      if end == .cancelled { return await part() }
      left = replica.unsentCount
      if left > 0, isClosedForGood { return .closed }
      if left < most {
        isTold = false
      } else if isTold || patience <= quiet {
        return .tooLate
      } else {
        tell(delay)
        isTold = true
      }
    }
    return .answered
  }

  /// Called when the user has interrupted. An answer that is on its way is still waited for, in a task that is not
  /// cancelled.
  private func part() async -> SettleEnd {
    await Task { @ClientLoop in
      _ = await wait(withinMilliseconds: RoomClient.partingMilliseconds) { !$0.replica.awaitsAnswer }
    }.value
    return replica.unsentCount == 0 ? .answered : .interrupted
  }
}
