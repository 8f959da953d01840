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
  /// The server's name for the error with which it closed the newest connection. `nil` if it sent none.
  var lastErrorCode: String? { get }
  var delay: Delay { get }
  /// How many messages have come while the drawing arrives.
  var partsArrived: Int { get }

  func start()
}

extension RoomJoining {
  /// Joins the room, and waits until the drawing is there. If no server answers, it fails at once. If a server answers
  /// that it can't let anyone in yet, it retries for `Delay.unavailableMilliseconds`. While parts of the drawing come over
  /// a slow line, the time begins anew with each.
  ///
  /// - Parameter tell: is called with the reason if joining takes long.
  func join(withinMilliseconds: UInt64 = 15_000, tell: (Delay) -> Void) async throws {
    start()
    var waited: UInt64 = 0
    // A connection that is cut again and again brings parts too, but never all of them.
    var left = 20 * withinMilliseconds
    var isTold = false
    var end = WaitEnd.tooLate
    repeat {
      // The next try is made here, because the client by itself pauses longer after each failed try. Such a pause could
      // be longer than the time that is left.
      if isUnavailable { start() }
      let step = min(isTold ? Delay.askingMilliseconds : Delay.silenceMilliseconds, withinMilliseconds - waited)
      let before = partsArrived
      end = await waitToJoin(withinMilliseconds: step)
      waited = partsArrived == before ? waited + step : 0
      left -= min(left, step)
      if end == .tooLate, waited > 0, waited < withinMilliseconds, !isTold {
        tell(delay)
        isTold = true
      }
    } while end == .tooLate && waited < withinMilliseconds && left > 0
      && (!isUnavailable || waited < Delay.unavailableMilliseconds)
    switch end {
    case .fulfilled where hasReachedRoom: return
    case .cancelled: throw CancellationError()
    case .fulfilled, .tooLate: throw ClientFailure.couldNotConnect(whyNot, code: errorCode)
    }
  }

  private func waitToJoin(withinMilliseconds: UInt64) async -> WaitEnd {
    await waiters.wait(withinMilliseconds: withinMilliseconds) { [unowned self] in
      hasReachedRoom || isClosedForGood || wasRefused
    }
  }

  /// Why the server has refused this client for good. `nil` if it hasn't. To be asked before leaving the room, after which
  /// nothing is known of the connection.
  var refusal: ClientFailure? { isClosedForGood ? .failed(whyNot, code: errorCode) : nil }

  /// The error code for programs, while the client is not in the room.
  var errorCode: String { isUnavailable ? "unavailable" : lastErrorCode ?? "not_connected" }

  private var wasRefused: Bool {
    guard !hasEverReachedRoom, let lastClosure else { return false }
    return lastClosure.cause.isBeforeItWasOpen && !isUnavailable
  }

  /// Whether a server answered that it can't let anyone in yet.
  var isUnavailable: Bool { lastClosure?.cause == .refused(status: 503) }
}
