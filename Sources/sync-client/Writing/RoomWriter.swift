import CanvasCRDT
import WebSocketLoop

/// Gets the server's answers to a writer.
@ClientLoop
protocol WriterFollower: AnyObject {
  func answered(_ answer: WriterAnswer, by writer: RoomWriter)
  func stateChanged(of writer: RoomWriter)
  /// The server can't store changes now. This is reported again only if the server has stored a change in between.
  func postponed(_ postponement: Postponement, by writer: RoomWriter)
}

/// A `Submitter` with a socket.
@ClientLoop
final class RoomWriter: RoomJoining {
  let server: ServerAddress
  let room: RoomName
  private(set) var submitter: Submitter
  private(set) var lastClosure: Closure?
  private var lastError: String? { socket.lastError?.words }
  var lastErrorCode: String? { socket.lastError?.code }
  let waiters = Waiters()

  private weak var follower: (any WriterFollower)?
  private var socket: RoomSocket!
  private var isLeaving = false

  init(_ server: ServerAddress, _ room: RoomName, _ submitter: Submitter, follower: any WriterFollower) {
    self.server = server
    self.room = room
    self.submitter = submitter
    self.follower = follower
    socket = RoomSocket(server, room, .binary, owner: self)
  }

  func start() { carryOut(submitter.start(at: .now())) }

  @discardableResult
  func submit(_ operations: [ProposedOperation]) -> UInt64 {
    let (number, effects) = submitter.submit(operations, at: .now())
    carryOut(effects)
    return number
  }

  func leave(withinMilliseconds: UInt64 = 1_000) async {
    isLeaving = true
    carryOut(submitter.stop(at: .now()))
    socket.sleep()
    _ = await waiters.wait(withinMilliseconds: withinMilliseconds) { [unowned self] in socket.connection == nil }
  }

  var isClosedForGood: Bool {
    if case .closed = submitter.state { return true }
    return false
  }

  var hasReachedRoom: Bool { submitter.state == .joined }
  var hasEverReachedRoom: Bool { submitter.joins > 0 }
  var delay: Delay { Delay(notJoined: self) }
  /// A writer waits for no drawing.
  var partsArrived: Int { 0 }

  var whyNot: String {
    var code: UInt16?
    if case .closed(let final) = submitter.state { code = final }
    return ConnectionWords.whyNot(server, room, finalCode: code, lastClosure, lastError: lastError)
  }

  private func carryOut(_ effects: [Submitter.Effect]) {
    for effect in effects {
      switch effect {
      case .connect: socket.connect()
      case .send(let bytes): socket.send(bytes)
      case .disconnect: if isLeaving { socket.sayGoodbye() } else { socket.drop() }
      case .wake(let time): socket.wake(at: time)
      case .state:
        if hasReachedRoom { lastClosure = nil }
        follower?.stateChanged(of: self)
      case .answered(let answer): follower?.answered(answer, by: self)
      case .postponed(let postponement): follower?.postponed(postponement, by: self)
      case .error(let code, let message): socket.heard(code, message)
      }
    }
    if !effects.isEmpty { waiters.check() }
  }
}

extension RoomWriter: RoomSocketOwner {
  func socketOpened() { carryOut(submitter.connected(at: .now())) }

  func socketReceived(_ message: Message) {
    guard !message.isText else { return }
    carryOut(submitter.received(message.bytes, at: .now()))
  }

  func socketClosed(_ closure: Closure) {
    lastClosure = closure
    carryOut(submitter.disconnected(closeCode: closure.code, at: .now()))
    waiters.check()
  }

  func timeHasCome() { carryOut(submitter.wake(at: .now())) }
}
