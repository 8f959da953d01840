import CanvasCRDT
import WebSocketLoop

/// The client at the other end of a WebSocket, as the hub sees it: its socket, its conversation and its stage.
///
/// What always holds: reading goes on only while there is no reason for a pause. A visitor that is gone stays gone.
///
/// `@unchecked Sendable`: the hub owns the visitor, and only the hub's jobs on the loop's thread touch it. Those jobs
/// keep a reference while they wait for the log.
final class Visitor: @unchecked Sendable {
  enum Stage {
    case awaitingHello(any ServerTimer)
    /// The visitor's room is being opened, by a job that is cancelled if the visitor goes. Reading is paused, and what
    /// had already arrived waits here. There is no job if the room was open.
    case joining([SessionStep], opening: Task<Void, Never>?)
    case joined(OpenRoom, MemberID)
    /// The connection is closed or about to be. Messages that still arrive are dropped.
    case gone
  }

  let connection: any ServerConnection
  let room: String
  let address: String
  /// The newest token that the visitor has sent.
  private(set) var token: String?
  var grant: Grant
  var payer: Payer { Payer(address: connection.party, token: grant.account) }
  /// Whether the visitor was warned that its token expires soon.
  var isWarned = false
  var conversation: Conversation
  private(set) var stage: Stage
  /// The actor that the visitor's hello names, or that the server chose for it. `nil` before the hello.
  private(set) var actor: Identifier?
  private var pauses = Pauses()
  /// The newest iteration of the event loop in which the visitor was sent something, and how many bytes it was sent
  /// then.
  private var turn: UInt64 = 0
  private var turnBytes = 0

  init(
    connection: any ServerConnection,
    room: String,
    address: String,
    token: String?,
    grant: Grant,
    conversation: Conversation,
    helloTimer: any ServerTimer
  ) {
    self.connection = connection
    self.room = room
    self.address = address
    self.token = token
    self.grant = grant
    self.conversation = conversation
    stage = .awaitingHello(helloTimer)
  }

  /// Replaces the visitor's token.
  func takes(_ token: String?, _ grant: Grant) {
    self.token = token
    self.grant = grant
    isWarned = false
  }

  // MARK: Stages

  var isAwaitingHello: Bool { if case .awaitingHello = stage { true } else { false } }
  var isGone: Bool { if case .gone = stage { true } else { false } }

  /// The visitor has said hello, and joins as soon as its room is open.
  /// - Parameter opening: the job that opens the visitor's room. `nil` if the room is open.
  func begins(as actor: Identifier?, opening: Task<Void, Never>? = nil) {
    if case .awaitingHello(let timer) = stage { timer.cancel() }
    stage = .joining([], opening: opening)
    self.actor = actor
  }

  /// The visitor's room is open, and the visitor has joined it.
  /// - Returns: the messages that arrived while the room was being opened. `nil` if the visitor is gone.
  func joins(_ open: OpenRoom, _ id: MemberID, as actor: Identifier?) -> [SessionStep]? {
    guard case .joining(let waiting, _) = stage else { return nil }
    stage = .joined(open, id)
    self.actor = actor
    return waiting
  }

  /// The room and the member that a step is for. `nil` if the visitor's room is still being opened (the step is kept)
  /// or the visitor is gone.
  func place(for step: SessionStep) -> (OpenRoom, MemberID)? {
    switch stage {
    case .joining(let waiting, let opening):
      stage = .joining(waiting + [step], opening: opening)
      return nil
    case .joined(let open, let id): return (open, id)
    case .awaitingHello, .gone: return nil
    }
  }

  func goes() {
    switch stage {
    case .awaitingHello(let timer): timer.cancel()
    case .joining(_, let opening): opening?.cancel()
    case .joined, .gone: break
    }
    stage = .gone
    conversation.closed()
  }

  // MARK: Bytes

  /// Sends as much as the socket takes, up to the visitor's limit for one iteration of the event loop.
  /// - Returns: how many bytes were taken. `nil` if the visitor has reached the limit already.
  func write(_ bytes: UnsafeRawBufferPointer, turn: UInt64) -> Int? {
    if self.turn != turn {
      self.turn = turn
      turnBytes = 0
    }
    guard turnBytes < Visitor.turnBytesMax else {
      connection.notifyWhenWritable()
      return nil
    }
    let taken = connection.write(bytes)
    turnBytes += taken
    return taken
  }

  /// The most bytes that one connection is sent in an iteration of the event loop. Without this limit, twenty clients
  /// that join large rooms at the same time would keep all others waiting while states are encoded and copied.
  private static let turnBytesMax = 131_072

  func pauseReading(_ pause: Pauses.Reason) {
    pauses.insert(pause)
    connection.pauseReading()
  }

  /// The client has exceeded its rate limit, so reading from it pauses for a while.
  func rests(milliseconds: UInt64, on loop: any ServerLoop) {
    pauses.rest(until: loop.now + milliseconds)
    connection.pauseReading()
    loop.schedule(afterMilliseconds: milliseconds) {
      self.pauses.restIsOver(at: loop.now)
      self.readIfNothingPauses()
    }
  }

  func resumeReading(_ pause: Pauses.Reason) {
    pauses.remove(pause)
    readIfNothingPauses()
  }

  private func readIfNothingPauses() { if pauses.isEmpty { connection.resumeReading() } }
}

extension Refusal {
  init(_ code: String, of visitor: Visitor, _ reason: String) {
    self.init(
      code: code,
      address: visitor.address,
      reason: reason,
      room: visitor.room,
      actor: visitor.actor?.text,
      token: visitor.grant.label
    )
  }

  init(_ rejection: Rejection, of visitor: Visitor) {
    self.init(Text(rejection.code.wireName).string, of: visitor, rejection.message.string)
  }
}
