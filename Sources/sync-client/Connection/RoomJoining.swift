import CanvasCRDT
import WebSocketLoop

/// A client that joins a room over a socket, and reconnects when the connection is lost.
@ClientLoop
protocol RoomJoining: AnyObject {
  var waiters: Waiters { get }
  var lastClosure: Closure? { get }
  var hasReachedRoom: Bool { get }
  var hasEverReachedRoom: Bool { get }
  var isClosedForGood: Bool { get }
  var whyNot: String { get }
  var delay: Delay { get }

  func start()
}

extension RoomJoining {
  /// Joins the room, and waits until the drawing is there. If no server answers, it fails at once. If a server answers
  /// that it can't let anyone in yet, it retries for `Delay.unavailableMilliseconds`.
  ///
  /// - Parameter tell: is called with the reason if joining takes long.
  func join(withinMilliseconds: UInt64 = 15_000, tell: (Delay) -> Void) async throws {
    start()
    var waited = min(withinMilliseconds, Delay.silenceMilliseconds)
    var end = await waitToJoin(withinMilliseconds: waited)
    if end == .tooLate, waited < withinMilliseconds { tell(delay) }
    while end == .tooLate, waited < withinMilliseconds, !isUnavailable || waited < Delay.unavailableMilliseconds {
      // The next try is made here, because the client by itself pauses longer after each failed try. Such a pause could
      // be longer than the time that is left.
      if isUnavailable { start() }
      let step = min(Delay.askingMilliseconds, withinMilliseconds - waited)
      end = await waitToJoin(withinMilliseconds: step)
      waited += step
    }
    switch end {
    case .fulfilled where hasReachedRoom: return
    case .cancelled: throw CancellationError()
    case .fulfilled, .tooLate: throw ClientFailure.couldNotConnect(whyNot)
    }
  }

  private func waitToJoin(withinMilliseconds: UInt64) async -> WaitEnd {
    await waiters.wait(withinMilliseconds: withinMilliseconds) { [unowned self] in
      hasReachedRoom || isClosedForGood || wasRefused
    }
  }

  /// Why the server has refused this client for good. `nil` if it hasn't. To be asked before leaving the room, after which
  /// nothing is known of the connection.
  var refusal: ClientFailure? { isClosedForGood ? .failed(whyNot) : nil }

  private var wasRefused: Bool {
    guard !hasEverReachedRoom, let lastClosure else { return false }
    return lastClosure.cause.isBeforeItWasOpen && !isUnavailable
  }

  /// Whether a server answered that it can't let anyone in yet.
  var isUnavailable: Bool { lastClosure?.cause == .refused(status: 503) }
}
