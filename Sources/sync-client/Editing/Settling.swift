import CanvasCRDT

/// How the wait for an edit's answers ended.
enum SettleEnd: Hashable, Sendable {
  case answered
  case tooLate
  case interrupted
  /// The server refuses the client for good.
  case closed
}

extension RoomClient {
  /// How long to wait after an interrupt for answers that are on their way. A healthy server answers sooner.
  private static let partingMilliseconds: UInt64 = 400

  /// Waits until all edits are answered, or until no answer has come for `patience` milliseconds.
  ///
  /// - Parameter tell: is called once in each long silence, with the reason.
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

  /// Waits a moment for answers that are on their way, after the user has interrupted. It uses a new task, because this
  /// one is cancelled.
  private func part() async -> SettleEnd {
    await Task { @ClientLoop in
      _ = await wait(withinMilliseconds: RoomClient.partingMilliseconds) { !$0.replica.awaitsAnswer }
    }.value
    return replica.unsentCount == 0 ? .answered : .interrupted
  }
}
