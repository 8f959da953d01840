import CanvasCRDT
import WebSocketLoop

/// Whose socket it is: a state machine that is told what happens, and its host.
@ClientLoop
protocol RoomSocketOwner: AnyObject {
  func socketOpened()
  func socketReceived(_ message: Message)
  /// It is gone, or never came to be. Not told where the owner dropped it.
  func socketClosed(_ closure: Closure)
  /// The time asked for by `wake` has come.
  func timeHasCome()
}

/// A room's WebSocket and one timer, as a state machine wants them: one connection at a time, and nothing from an
/// earlier one.
@ClientLoop
final class RoomSocket {
  let server: ServerAddress
  let room: RoomName
  private let encoding: WireEncoding
  private weak var owner: (any RoomSocketOwner)?
  private(set) var connection: Connection?
  private var timer: LoopTimer?

  init(_ server: ServerAddress, _ room: RoomName, _ encoding: WireEncoding, owner: any RoomSocketOwner) {
    self.server = server
    self.room = room
    self.encoding = encoding
    self.owner = owner
  }

  func connect() {
    var options = WebSocketOptions()
    // As much as a server may have been told to send in one message, and to take.
    options.messageBytesMax = 64 << 20
    options.waitingBytesMax = 64 << 20
    connection = ClientLoop.shared.loop.connect(
      to: server.endpoint(room.path("/sync")),
      subprotocols: [Text(encoding.subprotocol).string],
      headers: server.headers,
      options: options,
      handler: self
    )
  }

  func send(_ bytes: [UInt8]) {
    let frame = encoding.isText ? Frame(text: bytes) : Frame(binary: bytes)
    // What can't be sent is as good as lost, and is sent again over the next connection.
    if connection?.send(frame) == false { connection?.abort() }
  }

  /// At once, and the owner hears no more of it.
  func drop() {
    connection?.abort()
    connection = nil
  }

  /// In good order, behind what was sent; the owner hears when it is over.
  func sayGoodbye() {
    connection?.close(code: CloseCode.normal.rawValue)
  }

  /// Has the owner woken at that time of the monotonic clock, instead of any earlier wish.
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
