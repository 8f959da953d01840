import CanvasCRDT
import WebSocketLoop

/// A client that joins a room over a socket, and keeps trying.
@ClientLoop
protocol RoomJoining: AnyObject {
  var waiters: Waiters { get }
  /// How the newest connection ended. Nil once the server has let the client in again.
  var lastClosure: Closure? { get }
  /// Whether the room is reached now.
  var hasReachedRoom: Bool { get }
  var hasEverReachedRoom: Bool { get }
  /// Whether the server refuses this client for good.
  var isClosedForGood: Bool { get }
  /// Why the room can't be reached.
  var whyNot: String { get }
  var delay: Delay { get }

  /// Begins to connect, and keeps trying.
  func start()
}

extension RoomJoining {
  /// Joins the room, and waits until it is reached. The first attempt must succeed: if no server answers, the user
  /// should know at once. Only if a server answers that it can't let anyone in yet does the client try again, for
  /// `Delay.unavailableMilliseconds`.
  ///
  /// - Parameter tell: is called with the reason if joining takes long.
  func join(withinMilliseconds: UInt64 = 15_000, tell: (Delay) -> Void) async throws {
    start()
    var waited = min(withinMilliseconds, Delay.silenceMilliseconds)
    var end = await waitToJoin(withinMilliseconds: waited)
    if end == .tooLate, waited < withinMilliseconds { tell(delay) }
    while end == .tooLate, waited < withinMilliseconds, !isUnavailable || waited < Delay.unavailableMilliseconds {
      // Connecting begins anew here, because the pauses between the client's own attempts would grow beyond the time
      // that is left.
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

  private var wasRefused: Bool {
    guard !hasEverReachedRoom, let lastClosure else { return false }
    return lastClosure.cause.isBeforeItWasOpen && !isUnavailable
  }

  /// The server answers, but can't let anyone in yet.
  var isUnavailable: Bool { lastClosure?.cause == .refused(status: 503) }
}
