import Testing
import WebSocketLoop

@testable import CanvasCRDT
@testable import RoomLog
@testable import ServerModel
@testable import SyncServer

/// A server on a made-up machine, over a log of the test. Its time passes when the test says so.
final class TimedServer {
  let server: VirtualServer
  private(set) var now = Moment(wallMilliseconds: RoomBench.epoch, monotonicMilliseconds: 1_000)

  init(
    bus: (any Bus)? = nil,
    workMicroseconds: UInt64 = 0,
    lookMicroseconds: UInt64 = 0,
    _ change: (inout Configuration) -> Void = { _ in },
    over makeLog: (@escaping LogSink) -> any RoomLog
  ) {
    var configuration = Configuration()
    configuration.storage = .memory
    change(&configuration)
    server = VirtualServer(
      configuration,
      seed: 1,
      at: now,
      workMicroseconds: workMicroseconds,
      lookMicroseconds: lookMicroseconds
    ) { hub in (makeLog { hub.logTold($0) }, bus) }
  }

  /// Runs turns (iterations) of the loop.
  func pass(turns: Int, of milliseconds: UInt64 = 1, worksHeavily: Bool = true) {
    for _ in 0..<turns {
      now.wallMilliseconds += milliseconds
      now.monotonicMilliseconds += milliseconds
      server.turn(at: now)
      if worksHeavily { server.workHeavily() }
    }
  }
}

extension VirtualServer {
  /// Connects to a room, and says hello.
  func join(
    _ encoding: WireEncoding = .binary,
    _ hello: Hello = Hello(),
    from address: String = "10.0.0.1",
    to room: String = "demo"
  ) throws -> VirtualConnection {
    let connection = try #require(connect(encoding, to: room, from: address))
    say(.hello(hello), in: encoding, on: connection)
    return connection
  }

  func say(_ message: ClientMessage, in encoding: WireEncoding = .binary, on connection: VirtualConnection) {
    receive(encoding.encode(message), isText: encoding.isText, on: connection)
  }

  /// Makes a star over HTTP.
  func draw(_ shape: UInt64) -> VirtualRequest {
    let body = #"{"ops":[{"shape":"\#(Identifier(packed: shape)!)","set":{"kind":"star"}}]}"#
    let headers = [("content-type", "application/json")]
    let request = Request(method: "POST", path: "/v1/rooms/demo/ops", headers: headers, peer: "10.0.0.\(shape)")
    return self.request(request, body: Array(body.utf8))
  }
}
