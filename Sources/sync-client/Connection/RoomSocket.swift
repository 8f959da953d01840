import CanvasCRDT
import WebSocketLoop

/// The owner of a socket: a state machine that must hear of the socket's events.
@ClientLoop
protocol RoomSocketOwner: AnyObject {
  func socketOpened()
  func socketReceived(_ message: Message)
  /// The socket is gone, or could not be opened. Not called if the owner itself has dropped the socket.
  func socketClosed(_ closure: Closure)
  /// The time that was passed to `wake` has come.
  func timeHasCome()
}

/// A room's WebSocket and one timer. There is one connection at a time, and the events of an earlier connection are
/// dropped.
@ClientLoop
final class RoomSocket {
  let server: ServerAddress
  let room: RoomName
  private let encoding: WireEncoding
  private weak var owner: (any RoomSocketOwner)?
  private(set) var connection: Connection?
  private var timer: LoopTimer?
  /// The token that this client has sent to the server.
  private var token: String?
  private var tokenTimer: LoopTimer?

  /// How often the token's file is read until it has a new token.
  private static let tokenPauseMilliseconds: UInt64 = 2_000

  init(_ server: ServerAddress, _ room: RoomName, _ encoding: WireEncoding, owner: any RoomSocketOwner) {
    self.server = server
    self.room = room
    self.encoding = encoding
    self.owner = owner
  }

  func connect() {
    token = server.token.newest
    var options = WebSocketOptions()
    // The longest message in either direction that a server's flags can allow.
    options.messageBytesMax = 64 << 20
    options.waitingBytesMax = 64 << 20
    connection = ClientLoop.shared.loop.connect(
      to: server.endpoint(room.path("/sync")),
      subprotocols: [Text(encoding.subprotocol).string],
      headers: ServerAddress.headers(token: token),
      options: options,
      handler: self
    )
  }

  func send(_ bytes: [UInt8]) {
    let frame = encoding.isText ? MessageFrames(text: bytes) : MessageFrames(binary: bytes)
    // If the frame can't be sent, the connection counts as lost. The owner sends the frame's content again over the
    // next connection.
    if connection?.send(frame) == false { connection?.abort() }
  }

  /// The server has sent an error. If the error says that the token ends soon, and the token comes from a file, the new
  /// token is sent as soon as the file has it.
  func heard(_ code: Text) {
    if code == "token_expires", case .file = server.token { bringToken() }
  }

  private func bringToken() {
    guard let connection else { return }
    if let newest = server.token.newest, newest != token {
      token = newest
      let message = ClientMessage.token(Text(newest))
      return send(encoding.isText ? JSONEncoding.encode(message) : BinaryEncoding.encode(message))
    }
    tokenTimer?.cancel()
    tokenTimer = ClientLoop.shared.loop.schedule(afterMilliseconds: RoomSocket.tokenPauseMilliseconds) { [weak self] in
      ClientLoop.assumeIsolated {
        if self?.connection === connection { self?.bringToken() }
      }
    }
  }

  /// Closes at once. The owner gets no more events of this connection, not even `socketClosed`.
  func drop() {
    connection?.abort()
    connection = nil
  }

  /// Closes in order, after everything that was sent before. The owner gets `socketClosed` when that is done.
  func sayGoodbye() {
    connection?.close(code: CloseCode.normal.rawValue)
  }

  /// Calls `timeHasCome` at this time of the monotonic clock. This replaces an earlier call of `wake`.
  func wake(at time: UInt64) {
    timer?.cancel()
    let now = Clocks.monotonicMilliseconds()
    timer = ClientLoop.shared.loop.schedule(afterMilliseconds: time > now ? time - now : 0) { [weak self] in
      ClientLoop.assumeIsolated {
        self?.timer = nil
        self?.owner?.timeHasCome()
      }
    }
  }

  func sleep() {
    timer?.cancel()
    timer = nil
  }
}

extension RoomSocket: ConnectionHandler {
  nonisolated func connected(_ connection: Connection, request: Request) {
    ClientLoop.assumeIsolated {
      if connection === self.connection { owner?.socketOpened() }
    }
  }

  nonisolated func received(_ message: Message, on connection: Connection) {
    ClientLoop.assumeIsolated {
      if connection === self.connection { owner?.socketReceived(message) }
    }
  }

  nonisolated func writable(_ connection: Connection) {}

  nonisolated func closed(_ connection: Connection, closure: Closure) {
    ClientLoop.assumeIsolated {
      guard connection === self.connection else { return }
      self.connection = nil
      owner?.socketClosed(closure)
    }
  }
}
