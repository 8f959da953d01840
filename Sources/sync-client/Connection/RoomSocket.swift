import Basics
import CanvasCRDT
import WebSocketLoop

/// The owner of a `RoomSocket`, which gets its events.
@ClientLoop
protocol RoomSocketOwner: AnyObject {
  func socketOpened()
  func socketReceived(_ message: Message)
  /// The connection is closed, or couldn't be opened. Not called after `drop`.
  func socketClosed(_ closure: Closure)
  /// The time that was passed to `wake` has come.
  func timeHasCome()
}

/// A room's WebSocket, and a timer. There is at most one connection. Events of earlier connections are ignored.
@ClientLoop
final class RoomSocket {
  let server: ServerAddress
  let room: RoomName
  private let encoding: WireEncoding
  private weak var owner: (any RoomSocketOwner)?
  private(set) var connection: Connection?
  private var timer: LoopTimer?
  private var tokens = RoomTokens()
  private var tokenTimer: LoopTimer?
  /// The error with which the server closed the newest connection, or is about to close it.
  private(set) var lastError: (code: String, words: String)?

  /// Whether the last error on this connection was that the token is not for this room.
  private var isForbidden = false
  private var isClosedForToken = false

  /// The errors after which the connection goes on (R11).
  private static let passingErrors: [Text] = [
    "unknown_type", "bad_field", "presence_too_large", "token_expires", "token_refused",
  ]

  /// The close code of a connection that was lost.
  private static let lostCode: UInt16 = 1_006
  /// How often to look for a new token in the token's file.
  private static let tokenPauseMilliseconds: UInt64 = 2_000

  init(_ server: ServerAddress, _ room: RoomName, _ encoding: WireEncoding, owner: any RoomSocketOwner) {
    self.server = server
    self.room = room
    self.encoding = encoding
    self.owner = owner
  }

  func connect() {
    var options = WebSocketOptions()
    // No server can be configured with a higher limit on the size of its messages.
    options.messageBytesMax = 64 << 20
    options.waitingBytesMax = 64 << 20
    connection = ClientLoop.shared.loop.connect(
      to: server.endpoint(room.path("/sync")),
      subprotocols: [Text(encoding.subprotocol).string],
      headers: ServerAddress.headers(token: tokens.enter(newest: server.token.newest)),
      options: options,
      handler: self
    )
  }

  func send(_ bytes: [UInt8]) {
    let frame = encoding.isText ? MessageFrames(text: bytes) : MessageFrames(binary: bytes)
    // If the frame can't be sent, the connection counts as lost. The owner will send the same content over the next
    // connection.
    if connection?.send(frame) == false { connection?.abort() }
  }

  /// Handles an error from the server. If the token is about to expire and comes from a file, the client waits for a
  /// new token in the file and sends it. If the server doesn't take that one, the client waits for another.
  func heard(_ code: Text, _ message: Text) {
    isForbidden = code == "forbidden"
    if !RoomSocket.passingErrors.contains(code) {
      lastError = (code.string, "\(message.string) (\(code.string))")
    }
    if code == "token_refused" { tokens.refuse() }
    if code == "token_expires" || code == "token_refused", case .file = server.token { bringToken() }
  }

  private func bringToken() {
    guard let connection else { return }
    if let token = tokens.replacement(newest: server.token.newest) {
      let message = ClientMessage.token(Text(token))
      return send(encoding.isText ? JSONEncoding.encode(message) : BinaryEncoding.encode(message))
    }
    tokenTimer?.cancel()
    tokenTimer = ClientLoop.shared.loop.schedule(afterMilliseconds: RoomSocket.tokenPauseMilliseconds) { [weak self] in
      ClientLoop.assumeIsolated {
        if self?.connection === connection { self?.bringToken() }
      }
    }
  }

  /// Whether the last connection was closed for its token, and there is another one by now.
  var hasNewToken: Bool { isClosedForToken && tokens.hasAnother(newest: server.token.newest) }

  /// Closes the connection at once. No more events come from it, not even `socketClosed`.
  func drop() {
    connection?.abort()
    connection = nil
  }

  /// Closes the connection after everything that was sent. `socketClosed` is called afterwards.
  func sayGoodbye() {
    connection?.close(code: CloseCode.normal.rawValue)
  }

  /// Sets the timer: `timeHasCome` is called at this time of the monotonic clock. There is only one timer.
  func wake(at time: UInt64) {
    timer?.cancel()
    let now = SteadyClock.milliseconds()
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
      guard connection === self.connection else { return }
      lastError = nil
      owner?.socketOpened()
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
      if closure.cause.isBeforeItWasOpen { lastError = nil }
      var closure = closure
      // The owner comes back after this code, and then enters with the other token.
      isClosedForToken = isForbidden || closure.code == CloseCode.noToken.rawValue
      isForbidden = false
      if isClosedForToken, tokens.end(newest: server.token.newest) {
        closure.code = RoomSocket.lostCode
      }
      owner?.socketClosed(closure)
    }
  }
}
