import CanvasCRDT
import Glibc
import WebSocketLoop

@testable import SyncServer

/// A replica with a real socket. It carries out what the replica asks for, like the terminal client.
///
/// `@unchecked Sendable`: it is used only on its event loop's thread. Other threads use `loop.perform`.
final class ReplicaOverSocket: ConnectionHandler, @unchecked Sendable {
  let loop: EventLoop
  let endpoint: Endpoint
  var replica: Replica
  private var connection: Connection?
  private var timer: LoopTimer?
  private(set) var verdicts: [DigestVerdict] = []
  private(set) var subprotocol: String?
  private(set) var failures: [MessageError] = []
  private(set) var connects = 0

  init(loop: EventLoop, endpoint: Endpoint, encoding: WireEncoding, seed: UInt64) {
    self.loop = loop
    self.endpoint = endpoint
    var configuration = ReplicaConfiguration()
    configuration.encoding = encoding
    replica = Replica(configuration: configuration, seed: seed)
  }

  func start() { carryOut(replica.start(at: .now())) }

  func edit(_ body: (inout Replica) -> [ReplicaEffect]) { carryOut(body(&replica)) }

  /// Breaks the connection without a close frame, as a failing network does.
  func lose() { connection?.abort() }

  private func carryOut(_ effects: [ReplicaEffect]) {
    for effect in effects {
      switch effect {
      case .connect:
        connects += 1
        connection = loop.connect(
          to: endpoint,
          subprotocols: [Text(replica.configuration.encoding.subprotocol).string],
          handler: self
        )
      case .send(let bytes):
        connection?.send(
          replica.configuration.encoding.isText ? MessageFrames(text: bytes) : MessageFrames(binary: bytes)
        )
      case .disconnect: connection?.abort()
      case .wake(let time):
        timer?.cancel()
        let now = Moment.now().monotonicMilliseconds
        timer = loop.schedule(afterMilliseconds: time > now ? time - now : 0) { [self] in
          timer = nil
          carryOut(replica.wake(at: .now()))
        }
      case .digest(let verdict): verdicts.append(verdict)
      case .failure(let error): failures.append(error)
      case .keep, .changed, .departed, .reset, .overlaps, .unsent, .rejected, .superseded, .state, .peers, .joined,
        .left, .crowd, .presence,
        .presenceTooLong, .pong, .tokenTaken, .error:
        break
      }
    }
  }

  func connected(_ connection: Connection, request: Request) {
    subprotocol = connection.subprotocol
    carryOut(replica.connected(at: .now()))
  }

  func received(_ message: Message, on connection: Connection) {
    carryOut(replica.received(Array(message.bytes), isText: message.isText, at: .now()))
  }

  func writable(_ connection: Connection) {}

  func closed(_ connection: Connection, closure: Closure) {
    guard connection === self.connection else { return }
    self.connection = nil
    carryOut(replica.disconnected(closeCode: closure.code, at: .now()))
  }
}
