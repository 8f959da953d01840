import CanvasCRDT
import WebSocketLoop

/// A client's WebSocket, from its first byte to its close, as the hub sees it: its socket, what its client may say, and
/// how far it has come.
///
/// What always holds: reading goes on only while there is no reason for a pause. So nothing arrives while the session's
/// room is being opened. A session that is gone stays gone.
///
/// `@unchecked Sendable`: the hub owns the session, and only the hub's jobs on the loop's thread touch it. Those jobs
/// keep a reference while they wait for the log.
final class Session: @unchecked Sendable {
  enum Stage {
    /// The session waits for `hello`. The timer closes it if none comes.
    case waiting(any ServerTimer)
    /// The session's room is being opened, by a job that is cancelled if the session goes.
    case joining(Task<Void, Never>)
    case here(Role, OpenRoom, MemberID)
    /// The connection is closed or about to be. Messages that still arrive are dropped.
    case gone
  }

  let connection: any ServerConnection
  let room: String
  let address: String
  /// The newest token that the session has sent.
  private(set) var token: String?
  /// What the newest token allows.
  var grant: Grant
  /// What the token allowed that counted at `hello`. Others see the client by its actor and its name.
  let grantAtHello: Grant
  var payer: Payer { Payer(address: connection.party, token: grant.account) }
  /// Whether the session was warned that its token expires soon.
  var isWarned = false
  var conversation: Conversation
  private(set) var stage: Stage
  /// The actor that the client has been given in its room. `nil` before that: what `hello` claims may be untrue.
  var actor: Identifier?
  private var pauses = Pauses()
  /// The newest iteration of the event loop in which the session was sent something, and how many bytes it was sent
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
    grantAtHello = grant
    self.conversation = conversation
    stage = .waiting(helloTimer)
  }

  /// Replaces the session's token.
  func takes(_ token: String?, _ grant: Grant) {
    self.token = token
    self.grant = grant
    isWarned = false
  }

  // MARK: Stages

  var isGone: Bool { if case .gone = stage { true } else { false } }

  /// The client has said hello, and waits until the session's room is open.
  func awaits(_ opening: Task<Void, Never>) {
    if case .waiting(let timer) = stage { timer.cancel() }
    stage = .joining(opening)
  }

  /// The session is a member of its room.
  func joined(_ open: OpenRoom, as role: Role, _ id: MemberID) {
    if case .waiting(let timer) = stage { timer.cancel() }
    stage = .here(role, open, id)
  }

  func goes() {
    switch stage {
    case .waiting(let timer): timer.cancel()
    case .joining(let opening): opening.cancel()
    case .here, .gone: break
    }
    stage = .gone
  }

  // MARK: Bytes

  /// Sends as much as the socket takes, up to the session's limit for one iteration of the event loop.
  /// - Returns: how many bytes were taken. `nil` if the session has reached the limit already.
  func write(_ bytes: UnsafeRawBufferPointer, turn: UInt64) -> Int? {
    if self.turn != turn {
      self.turn = turn
      turnBytes = 0
    }
    guard turnBytes < Session.turnBytesMax else {
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
  init(_ code: String, of session: Session, _ reason: String) {
    self.init(
      code: code,
      address: session.address,
      reason: reason,
      room: session.room,
      actor: session.actor?.text,
      token: session.grant.label
    )
  }

  init(_ rejection: Rejection, of session: Session) {
    self.init(Text(rejection.code.wireName).string, of: session, rejection.message.string)
  }
}
