import CanvasCRDT
import WebSocketLoop

/// Who is at the other end of a WebSocket, as the hub knows them: the socket, the conversation over it, and where it has come
/// to.
///
/// What always holds: reading goes on only when nothing has it paused any more. One that is gone stays so.
///
/// `@unchecked Sendable`: it belongs to the hub, and jobs of the hub on the loop's thread are all that touch it; it has to
/// stay in their hands while they wait for the log.
final class Visitor: @unchecked Sendable {
  enum Stage {
    case awaitingHello(LoopTimer)
    /// The room is being opened. Reading is paused; what had come already waits here.
    case joining([ConversationStep])
    case joined(OpenRoom, MemberID)
    /// Closed, or about to be: whatever still arrives is dropped.
    case gone
  }

  /// What has to pass before more is read from it.
  struct Pauses: OptionSet {
    let rawValue: UInt8

    /// Its room is being opened.
    static let opening = Pauses(rawValue: 1)
    /// Its answers or its operations pile up.
    static let backlog = Pauses(rawValue: 2)
    /// It sends more than it may.
    static let rate = Pauses(rawValue: 4)
  }

  let connection: Connection
  let room: String
  let address: String
  /// What it came in with, and what that allows.
  let token: String?
  var grant: Grant
  var conversation: Conversation
  private(set) var stage: Stage
  private var pauses: Pauses = []
  /// The turn in which it was last sent something, and how many bytes.
  private var turn: UInt64 = 0
  private var turnBytes = 0

  init(
    connection: Connection,
    room: String,
    address: String,
    token: String?,
    grant: Grant,
    conversation: Conversation,
    helloTimer: LoopTimer
  ) {
    self.connection = connection
    self.room = room
    self.address = address
    self.token = token
    self.grant = grant
    self.conversation = conversation
    stage = .awaitingHello(helloTimer)
  }

  // MARK: Stages

  var isAwaitingHello: Bool { if case .awaitingHello = stage { true } else { false } }
  var isGone: Bool { if case .gone = stage { true } else { false } }

  /// It has said hello, and joins as soon as its room is open.
  func begins() {
    if case .awaitingHello(let timer) = stage { timer.cancel() }
    stage = .joining([])
  }

  /// - Returns: what it said meanwhile; nothing where it is gone already.
  func joins(_ open: OpenRoom, _ id: MemberID) -> [ConversationStep]? {
    guard case .joining(let waiting) = stage else { return nil }
    stage = .joined(open, id)
    return waiting
  }

  /// Where a step is to be done; nothing where it has to wait for the room, or comes too late.
  func place(for step: ConversationStep) -> (OpenRoom, MemberID)? {
    switch stage {
    case .joining(var waiting):
      waiting.append(step)
      stage = .joining(waiting)
      return nil
    case .joined(let open, let id): return (open, id)
    case .awaitingHello, .gone: return nil
    }
  }

  func goes() {
    if case .awaitingHello(let timer) = stage { timer.cancel() }
    stage = .gone
    conversation.closed()
  }

  // MARK: Bytes

  /// Sends what the socket takes, and no more in a turn than is fair.
  /// - Returns: how many bytes were taken; nothing where it has had its part of this turn.
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

  /// What one connection is sent in a turn. A large room's state takes many: twenty that join at once, and readers that
  /// take all that they are offered, would keep everybody else waiting for as long as it takes to encode and copy it.
  private static let turnBytesMax = 131_072

  func pauseReading(_ pause: Pauses) {
    pauses.insert(pause)
    connection.pauseReading()
  }

  func resumeReading(_ pause: Pauses) {
    pauses.remove(pause)
    if pauses.isEmpty { connection.resumeReading() }
  }
}
