import CanvasCRDT
import WebSocketLoop

/// A WebSocket connection as the hub knows it: the socket, its side of the protocol, and where it has come to.
///
/// `@unchecked Sendable`: it belongs to the hub, and jobs of the hub on the loop's thread are all that touch it; it has to
/// stay in their hands while they wait for the log.
final class Client: @unchecked Sendable {
  enum Stage {
    case awaitingHello(LoopTimer)
    /// The room is being opened. Reading is paused; what had come already waits here.
    case joining([SessionAction])
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
  var session: Session
  var stage: Stage
  private var pauses: Pauses = []
  /// The turn in which it was last sent something, and how many bytes.
  var turn: UInt64 = 0
  var turnBytes = 0

  init(
    connection: Connection,
    room: String,
    address: String,
    token: String?,
    grant: Grant,
    session: Session,
    stage: Stage
  ) {
    self.connection = connection
    self.room = room
    self.address = address
    self.token = token
    self.grant = grant
    self.session = session
    self.stage = stage
  }

  func pauseReading(_ pause: Pauses) {
    pauses.insert(pause)
    connection.pauseReading()
  }

  func resumeReading(_ pause: Pauses) {
    pauses.remove(pause)
    if pauses.isEmpty { connection.resumeReading() }
  }
}
