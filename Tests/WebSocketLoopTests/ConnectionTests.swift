import Glibc
import Synchronization
import TestSupport
import Testing

@testable import WebSocketLoop

@Suite("The life of a WebSocket connection") struct ConnectionTests {
  // MARK: Opening

  @Test("A subprotocol that is offered and spoken is chosen; otherwise none") func subprotocols() async throws {
    let options = ListenOptions { $0.subprotocols = ["canvas.v1.bin", "canvas.v1.json"] }
    let server = TestServer()
    server.onUpgrade = { request in
      .accept(subprotocol: request.offeredSubprotocols.first { $0.hasPrefix("canvas.") } ?? "canvas.v1.json")
    }
    try await withServer(server, options: options) { port, _ in
      for (offer, expected) in [
        ("soap, canvas.v1.json", "canvas.v1.json"), ("canvas.v1.bin,canvas.v1.json", "canvas.v1.bin"), ("soap", nil),
        ("canvas.v9", nil), (nil, nil),
      ] as [(String?, String?)] {
        let client = RawClient(port: port)
        let head = try #require(client.upgrade(extra: offer.map { "Sec-WebSocket-Protocol: \($0)\r\n" } ?? ""))
        #expect(head.hasPrefix("HTTP/1.1 101 "))
        #expect(head.contains("Sec-WebSocket-Protocol: \(expected ?? "")") == (expected != nil))
        client.sendText("x")
        #expect(client.readMessage() == Array("x".utf8))
        #expect(server.seen.withLock { $0.opened.last } == .some(expected))
      }
    }
  }

  @Test("The handler sees the path, the query, the headers and the peer") func requestIsShown() async throws {
    let server = TestServer()
    try await withServer(server) { port, _ in
      let client = RawClient(port: port)
      client.upgrade(
        path: "/v1/rooms/a%20b/sync?token=x%2By&n&why=so?",
        extra: "Authorization: Bearer T\r\nOrigin: http://localhost\r\n"
      )
      client.sendText("x")
      _ = client.readMessage()
      let request = try #require(server.seen.withLock { $0.requests.first })
      #expect(request.pathParts == ["v1", "rooms", "a b", "sync"])
      #expect(request.parameter("token") == "x+y")
      #expect(request.parameter("n") == "")
      #expect(request.parameter("why") == "so?")
      #expect(request.parameter("m") == nil)
      #expect(request.header("authorization") == "Bearer T")
      #expect(request.header("origin") == "http://localhost")
      #expect(request.peer == "127.0.0.1")
    }
  }

  @Test("A connection that has gone is freed, whichever came first") func freed() async throws {
    struct Opened {
      weak var connection: Connection?
    }
    let server = TestServer()
    let opened = Mutex<[Opened]>([])
    server.onConnected = { connection in opened.withLock { $0.append(Opened(connection: connection)) } }
    try await withServer(server) { port, loop in
      func hold() -> [Bool] { loop.perform { opened.withLock { $0.map { $0.connection != nil } } } }
      var clients: [RawClient?] = []
      for count in 1...3 {
        clients.append(RawClient(upgradedAt: port))
        _ = await eventually { hold().count == count ? true : nil }
      }
      clients[1] = nil
      #expect(await eventually { hold() == [true, false, true] ? true : nil } == true)
      clients[0] = nil
      #expect(await eventually { hold() == [false, false, true] ? true : nil } == true)
    }
  }

  @Test("A refused upgrade gets its status and body, and ends the connection if so asked")
  func refusedUpgrade() async throws {
    let server = TestServer()
    server.onUpgrade = { _ in .refuse(.error(401, code: "unauthorized", message: "no \"token\"")) }
    try await withServer(server) { port, _ in
      let client = RawClient(port: port, sending: "GET /ws HTTP/1.1\r\n\(RawClient.handshakeHeaders)\r\n")
      let answer = try #require(client.readAnswer())
      #expect(answer.status == 401)
      #expect(answer.body == #"{"error":{"code":"unauthorized","message":"no \"token\""}}"#)
      #expect(server.seen.withLock { $0.opened.isEmpty && $0.closures.isEmpty })
      client.send("GET / HTTP/1.1\r\nHost: l\r\n\r\n")
      #expect(client.readAnswer()?.status == 200)
      let last = RawClient(port: port)
      last.send("GET /ws HTTP/1.1\r\n\(RawClient.handshakeHeaders)Connection: close\r\n\r\n")
      #expect(last.readAnswer()?.status == 401 && last.hasEnded)
    }
  }

  @Test(
    "A malformed handshake is answered",
    arguments: [
      (
        "GET /ws HTTP/1.1\r\nHost: l\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n\r\n",
        400
      ),
      (
        "GET /ws HTTP/1.1\r\nHost: l\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: short\r\nSec-WebSocket-Version: 13\r\n\r\n",
        400
      ),
      (
        "GET /ws HTTP/1.1\r\nHost: l\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 8\r\n\r\n",
        426
      ),
      (
        "GET /ws HTTP/1.1\r\nHost: l\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n",
        400
      ),
      ("POST /ws HTTP/1.1\r\n\(RawClient.handshakeHeaders)\r\n", 400),
      ("GET /ws HTTP/1.0\r\n\(RawClient.handshakeHeaders)\r\n", 400),
      ("GET /ws HTTP/1.1\r\n\(RawClient.handshakeHeaders)\r\nearly", 400),
      ("GET /ws HTTP/1.1\r\n\(RawClient.handshakeHeaders)Content-Length: 5\r\n\r\n", 400),
      ("GET /ws HTTP/1.1\r\n\(RawClient.handshakeHeaders)Transfer-Encoding: chunked\r\n\r\n", 400),
      (
        "GET /ws HTTP/1.1\r\nHost: l\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZSEh\r\nSec-WebSocket-Version: 13\r\n\r\n",
        400
      ),
    ]
  )
  func malformedHandshake(text: String, status: Int) async throws {
    try await withServer { port, _ in
      let client = RawClient(port: port, sending: text)
      #expect(client.readAnswer()?.status == status)
    }
  }

  @Test(
    "An upgrade is granted whatever else its head has, as far as a head may go",
    arguments: [
      "\r\n\r\nGET /ws HTTP/1.1\r\n\(RawClient.handshakeHeaders)\r\n",
      "GET http://localhost/ws HTTP/1.1\r\n\(RawClient.handshakeHeaders)\r\n",
      "GET /ws HTTP/1.1\r\n\(RawClient.handshakeHeaders)Content-Length: 0\r\nUpgrade: h2c\r\n\r\n",
      "GET /ws HTTP/1.1\r\nHost: l\r\nUPGRADE: WebSocket\r\nCONNECTION: keep-alive,upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n",
      "GET /../a/..//./b/%2F/..%2e?%00%zz\(String(repeating: "a&", count: 60)) HTTP/1.1\r\n\(RawClient.handshakeHeaders)\r\n",
      "GET /\(String(repeating: "p", count: 15_000)) HTTP/1.1\r\n\(RawClient.handshakeHeaders)\r\n",
      "GET /ws HTTP/1.1\r\nCookie: \(String(repeating: "c", count: 15_000))\r\n\(RawClient.handshakeHeaders)\r\n",
      "GET /ws HTTP/1.1\r\n\(String(repeating: "Cookie: a\r\n", count: 95))\(RawClient.handshakeHeaders)\r\n",
      // These header names are prefixes of names that libwebsockets knows. libwebsockets alone would read the next line
      // as part of such a header.
      "GET /ws HTTP/1.1\r\nX: y\r\nX-Forwarded: y\r\nA: y\r\n\(RawClient.handshakeHeaders)\r\n",
    ]
  )
  func heads(text: String) async throws {
    try await withServer { port, _ in
      let client = RawClient(port: port, sending: text)
      #expect(client.read(through: "\r\n\r\n")?.hasPrefix("HTTP/1.1 101 ") == true)
      client.sendText("x")
      #expect(client.readMessage() == Array("x".utf8))
    }
  }

  @Test("An upgrade to something else is served as HTTP, on the second request too") func foreignUpgrade() async throws
  {
    try await withServer { port, _ in
      let client = RawClient(port: port)
      for _ in 0..<3 {
        client.send(
          "GET /x HTTP/1.1\r\nHost: l\r\nUpgrade: h2c\r\nConnection: Upgrade\r\nHTTP2-Settings: AAMAAABkAAQ\r\n\r\n"
        )
        #expect(client.readAnswer()?.status == 200)
      }
    }
  }

  // MARK: Closing

  @Test("The peer's code and reason are reported, and answered with the same code") func peerCloses() async throws {
    let server = TestServer()
    try await withServer(server) { port, _ in
      let client = RawClient(upgradedAt: port)
      client.send(RawClient.masked(8, [0x0F, 0xA1] + Array("bye".utf8)))
      #expect(client.readFrame()?.closeCode == 4001)
      #expect(client.hasEnded)
      #expect(await server.closure() == Closure(cause: .peer, code: 4001, reason: "bye"))
    }
  }

  @Test("A peer may close without a code, or just disappear") func peerGoes() async throws {
    let server = TestServer()
    try await withServer(server) { port, _ in
      var client: RawClient? = RawClient(port: port)
      client?.upgrade()
      client?.send(RawClient.masked(8, []))
      #expect(await server.closure() == Closure(cause: .peer, code: 1005))
      server.seen.withLock { $0.closures = [] }
      client = RawClient(port: port)
      client?.upgrade()
      client = nil
      #expect(await server.closure() == Closure(cause: .lost, code: 1006))
    }
  }

  @Test("Our close comes after everything that was sent before, with its code and reason") func weClose() async throws {
    let server = TestServer()
    server.onMessage = { connection, _ in
      connection.send(MessageFrames(text: "last words"))
      connection.close(code: 4404, reason: "the room was deleted")
      #expect(!connection.send(MessageFrames(text: "too late")))
    }
    try await withServer(server) { port, _ in
      let client = RawClient(upgradedAt: port)
      client.sendText("x")
      #expect(client.readFrame()?.text == "last words")
      let frame = try #require(client.readFrame())
      #expect(frame.closeCode == 4404)
      #expect(frame.payload.dropFirst(2).elementsEqual("the room was deleted".utf8))
      client.send(RawClient.masked(8, [0x11, 0x34]))
      #expect(client.hasEnded)
      #expect(await server.closure() == Closure(cause: .ours, code: 4404, reason: "the room was deleted"))
    }
  }

  @Test("A connection can be closed with a code as soon as it is open") func closeAtOnce() async throws {
    let server = TestServer()
    server.onConnected = { $0.close(code: 4401, reason: String(repeating: "é", count: 100)) }
    try await withServer(server) { port, _ in
      let client = RawClient(port: port)
      #expect(client.upgrade()?.hasPrefix("HTTP/1.1 101 ") == true)
      let frame = try #require(client.readFrame())
      #expect(frame.closeCode == 4401)
      #expect(frame.payload.count == 124)
    }
  }

  @Test("A peer that doesn't answer our close is dropped after the deadline") func closeUnanswered() async throws {
    let server = TestServer()
    server.onConnected = { $0.close(code: 4408, reason: "no hello") }
    try await withServer(server, options: ListenOptions { $0.webSocket.closeWithinMilliseconds = 100 }) { port, loop in
      let client = RawClient(upgradedAt: port)
      #expect(client.readFrame()?.closeCode == 4408)
      #expect(client.hasEnded)
      #expect(await server.closure()?.code == 4408)
      #expect(loop.perform { loop.counts.connections } == 0)
    }
  }

  @Test("Abort drops the socket, from within a handler and from a job") func abort() async throws {
    let server = TestServer()
    server.onMessage = { connection, message in
      if message.bytes.first == UInt8(ascii: "h") {
        connection.abort()
      } else {
        connection.loop.execute { connection.abort() }
      }
    }
    try await withServer(server) { port, _ in
      for text in ["here", "later"] {
        let client = RawClient(upgradedAt: port)
        client.sendText(text)
        #expect(client.hasEnded)
        #expect(await server.closure() == Closure(cause: .lost, code: 1006))
        server.seen.withLock { $0.closures = [] }
      }
    }
  }

  // MARK: Heartbeats

  @Test("A peer that is silent is pinged, stays while it answers, and is closed when it doesn't") func halfOpen()
    async throws
  {
    var options = ListenOptions()
    options.webSocket.pingAfterMilliseconds = 60
    // The test takes as long as this timeout, so the timeout is short. It must still be long enough for answers on a
    // busy machine.
    options.webSocket.pongWithinMilliseconds = 600
    options.webSocket.closeWithinMilliseconds = 50
    options.webSocket.silentCloseCode = 4408
    let server = TestServer()
    try await withServer(server, options: options) { port, _ in
      let client = RawClient(upgradedAt: port)
      for _ in 0..<4 {
        let ping = try #require(client.readFrame())
        #expect(ping.opcode == 9)
        client.send(RawClient.masked(10, ping.payload))
      }
      #expect(server.seen.withLock { $0.closures.isEmpty })
      #expect(client.readFrame()?.opcode == 9)
      #expect(client.readFrame()?.closeCode == 4408)
      #expect(await server.closure() == Closure(cause: .ours, code: 4408, reason: "no sign of life"))
    }
  }

  @Test("Unless told otherwise, a client notices within half a minute that its server is silent") func patience() {
    let options = WebSocketOptions()
    #expect(options.pingAfterMilliseconds + options.pongWithinMilliseconds == 30_000)
    #expect(options.idleMilliseconds == nil)
  }

  @Test("A connection that isn't read from isn't taken for silent") func pausedIsNotSilent() async throws {
    var options = ListenOptions()
    options.webSocket.pingAfterMilliseconds = 300
    options.webSocket.pongWithinMilliseconds = 300
    let server = TestServer()
    let held = Mutex<Connection?>(nil)
    server.onMessage = { connection, _ in
      connection.pauseReading()
      held.withLock { $0 = connection }
    }
    try await withServer(server, options: options) { port, loop in
      let client = RawClient(upgradedAt: port)
      client.sendText("enough")
      let connection = try #require(await eventually { held.withLock { $0 } })
      #expect(client.hasSomething(withinMilliseconds: 1_500) == false)
      #expect(loop.perform { connection.isOpen })
    }
  }

  @Test("The time for a message is as long once its connection is read from again as while it wasn't")
  func pausedMessage() async throws {
    let server = TestServer()
    let connected = Mutex<Connection?>(nil)
    server.onConnected = { connection in connected.withLock { $0 = connection } }
    try await withServer(server) { port, loop in
      let client = RawClient(upgradedAt: port)
      client.send(RawClient.masked(2, [1], isLast: false) + RawClient.masked(9, [7]))
      #expect(client.readFrame()?.opcode == 10)
      let connection = try #require(connected.withLock { $0 })
      loop.perform { connection.pauseReading() }
      let began = try #require(loop.perform { connection.messageBegan })
      #expect(await eventually { loop.perform { loop.now >= began + 100 ? true : nil } } == true)
      let (paused, resumed) = loop.perform {
        let paused = connection.messageDue(began)
        connection.resumeReading()
        return (paused, connection.messageBegan.map { connection.messageDue($0) })
      }
      #expect(resumed == paused)
    }
  }

  @Test(
    "A peer that isn't read from and takes nothing of what it is sent is closed as silent; while it takes some it stays"
  )
  func pausedGhost() async throws {
    var options = ListenOptions()
    options.webSocket.pingAfterMilliseconds = 300
    options.webSocket.pongWithinMilliseconds = 600
    options.webSocket.closeWithinMilliseconds = 50
    options.webSocket.silentCloseCode = 4408
    let server = TestServer()
    let frame = MessageFrames(binary: [UInt8](repeating: 7, count: 100_000))
    let push: @Sendable (Connection) -> Void = { connection in
      while frame.bytes.withUnsafeBytes({ connection.write($0) }) == frame.bytes.count {}
    }
    server.onMessage = { connection, _ in
      connection.pauseReading()
      push(connection)
    }
    server.onWritable = push
    try await withServer(server, options: options) { port, _ in
      let client = RawClient(upgradedAt: port, receiveBufferBytes: 4_096)
      client.sendText("enough")
      // Keeps reading for longer than the timeout after which a silent peer is disconnected.
      let start = ContinuousClock.now
      while ContinuousClock.now - start < .milliseconds(1_500) { _ = try #require(client.readFrame()) }
      #expect(server.seen.withLock { $0.closures.isEmpty })
      #expect(await server.closure() == Closure(cause: .ours, code: 4408, reason: "no sign of life"))
    }
  }

  @Test("Behind a proxy, what is sent to a peer that isn't read from doesn't wait for answers that lie unread")
  func pausedBehindAProxy() async throws {
    let server = TestServer()
    let frame = MessageFrames(binary: [UInt8](repeating: 7, count: 1_000))
    let total = 1_000
    let written = Mutex(0)
    let push: @Sendable (Connection) -> Void = { connection in
      while written.withLock({ $0 < total }) {
        guard frame.bytes.withUnsafeBytes({ connection.write($0) }) > 0 else { return }
        written.withLock { $0 += 1 }
      }
    }
    server.onMessage = { connection, _ in
      push(connection)
      connection.pauseReading()
    }
    server.onWritable = push
    try await withServer(server) { port, _ in
      let client = RawClient(port: port)
      client.upgrade(extra: "Via: 1.1 here\r\n")
      client.sendText("go on")
      var messages = 0
      while messages < total {
        let read = try #require(client.readFrame())
        if read.opcode == 9 { client.send(RawClient.masked(10, read.payload)) } else { messages += 1 }
      }
    }
  }

  @Test("A connection without messages is closed if so configured, even if it sends pongs") func idle() async throws {
    let server = TestServer()
    try await withServer(server, options: ListenOptions { $0.webSocket.idleMilliseconds = 150 }) { port, _ in
      let client = RawClient(upgradedAt: port)
      client.send(RawClient.masked(10, [1]))
      #expect(client.readFrame()?.closeCode == 1001)
    }
  }

  // MARK: Flow

  @Test("A stalled reader takes constant memory, delays nobody, and catches up") func stalledReader() async throws {
    let server = TestServer()
    // Sends to all connections from one shared buffer, as a room does, and keeps the offset that each connection has
    // reached.
    let frame = MessageFrames(binary: [UInt8](repeating: 7, count: 100_000))
    let total = 400
    let places = Mutex<[UInt64: Int]>([:])
    let push: @Sendable (Connection) -> Void = { connection in
      while true {
        let place = places.withLock { $0[connection.identifier] ?? 0 }
        guard place < total * frame.bytes.count else { return }
        let offset = place % frame.bytes.count
        let taken = frame.bytes.withUnsafeBytes { connection.write(UnsafeRawBufferPointer(rebasing: $0[offset...])) }
        if taken == 0 { return }
        places.withLock { $0[connection.identifier] = place + taken }
      }
    }
    let held = Mutex<[Connection]>([])
    server.onConnected = { connection in
      held.withLock { $0.append(connection) }
      push(connection)
    }
    server.onWritable = push
    try await withServer(server) { port, loop in
      let stalled = RawClient(upgradedAt: port, receiveBufferBytes: 4_096)
      // The second client gets all 40 MB while the first one reads nothing.
      let quick = RawClient(upgradedAt: port)
      for _ in 0..<total { #expect(quick.readMessage()?.count == 100_000) }
      #expect(loop.perform { loop.counts.stalls } > 0)
      let place = places.withLock { $0.values.min()! }
      #expect(place < total * frame.bytes.count / 2)
      // The connection itself buffers nothing. Bytes that the socket has not taken are only in the shared buffer.
      let kept = try #require(held.withLock { $0.first })
      #expect(loop.perform { kept.waitingBytes } == 0)
      #expect(place % frame.bytes.count % (MessageFrames.fragmentBytesMax + 4) == 0)
      // The answer to a ping comes between whole frames, even if the socket's buffer was full in the middle of a frame.
      stalled.send(RawClient.masked(9, [42]))
      var pongs = 0
      var messages = 0
      while messages < total {
        let read = try #require(stalled.readFrame())
        if read.opcode == 10 {
          #expect(read.payload == [42])
          pongs += 1
        } else if read.opcode == 9 {
          // The client answers pings, because with sanitizers the test takes longer than the server's timeout for a
          // silent peer.
          stalled.send(RawClient.masked(10, read.payload))
        } else {
          try #require(read.payload.allSatisfy { $0 == 7 })
          if read.isLast { messages += 1 }
        }
      }
      #expect(pongs == 1)
      #expect(server.seen.withLock { $0.writable } > 0)
    }
  }

  @Test(
    "Behind a proxy, what the peer has not answered for is not followed by more",
    arguments: ["X-Forwarded-For: 10.9.8.7", "Via: 1.1 here"]
  )
  func proxied(header: String) async throws {
    let server = TestServer()
    let frame = MessageFrames(binary: [UInt8](repeating: 7, count: 1_000))
    let total = 1_000
    let written = Mutex(0)
    let push: @Sendable (Connection) -> Void = { connection in
      while written.withLock({ $0 < total }) {
        guard frame.bytes.withUnsafeBytes({ connection.write($0) }) > 0 else { return }
        written.withLock { $0 += 1 }
      }
    }
    server.onConnected = push
    server.onWritable = push
    try await withServer(server) { port, _ in
      let client = RawClient(port: port)
      client.upgrade(extra: "\(header)\r\n")
      // The socket's buffer could take all frames at once, but the server waits for answers to its pings.
      #expect(try #require(client.readFrame()).opcode == 2)
      try await Task.sleep(for: .milliseconds(300))
      #expect(written.withLock { $0 } <= 17)
      // After every few frames the server waits for the answer to a ping. So the other frames come only if this client
      // answers.
      var messages = 1
      while messages < total {
        let read = try #require(client.readFrame())
        if read.opcode == 9 { client.send(RawClient.masked(10, read.payload)) } else { messages += 1 }
      }
    }
  }

  @Test("A stalled reader that breaks the protocol is dropped soon, and doesn't keep the loop busy")
  func stalledViolation() async throws {
    let server = TestServer()
    let frame = MessageFrames(binary: [UInt8](repeating: 7, count: 300_000))
    // Writes until the socket is full in the middle of a frame.
    server.onConnected = { connection in
      while frame.bytes.withUnsafeBytes({ connection.write($0) }) == frame.bytes.count {}
    }
    let order = Mutex<[String]>([])
    server.onClosed = { order.withLock { $0.append("closed") } }
    try await withServer(server) { port, loop in
      let client = RawClient(upgradedAt: port, receiveBufferBytes: 4_096)
      #expect(await eventually { loop.perform { loop.counts.stalls } > 0 ? true : nil } == true)
      client.send(RawClient.masked(3, [1]) + [UInt8](repeating: 0, count: 20_000))
      // The library itself would drop it after five seconds. Timers of one loop fire in the order of their times.
      loop.perform { _ = loop.schedule(afterMilliseconds: 3_000) { order.withLock { $0.append("late") } } }
      #expect(await eventually { order.withLock { $0.first } } == "closed")
    }
  }

  @Test("Messages to one reader wait up to a bound; more are refused") func sendIsBounded() async throws {
    let server = TestServer()
    let accepted = Mutex(0)
    let connected = Mutex<Connection?>(nil)
    server.onConnected = { connection in
      connected.withLock { $0 = connection }
      let frame = MessageFrames(binary: [UInt8](repeating: 1, count: 65_536))
      var count = 0
      while connection.send(frame) { count += 1 }
      accepted.withLock { $0 = count }
      #expect(connection.waitingBytes <= 1 << 20)
      #expect(connection.waitingBytes > 900_000)
    }
    try await withServer(server, options: ListenOptions { $0.webSocket.waitingBytesMax = 1 << 20 }) { port, loop in
      let client = RawClient(upgradedAt: port)
      for _ in 0..<(try #require(await eventually { accepted.withLock { $0 > 0 ? $0 : nil } })) {
        #expect(client.readMessage()?.count == 65_536)
      }
      // Bytes count as pending only until they are sent.
      let connection = try #require(connected.withLock { $0 })
      #expect(await eventually { loop.perform { connection.waitingBytes == 0 } ? true : nil } == true)
    }
  }

  @Test("While reading is paused nothing is received, and nothing is lost") func pausedReading() async throws {
    let server = TestServer()
    let held = Mutex<Connection?>(nil)
    server.onMessage = { connection, _ in
      connection.pauseReading()
      held.withLock { $0 = connection }
    }
    try await withServer(server) { port, loop in
      let client = RawClient(upgradedAt: port)
      for number in 0..<5 { client.sendText("\(number)") }
      let connection = try #require(await eventually { held.withLock { $0 } })
      for count in 1...5 {
        let got = await eventually { server.seen.withLock { $0.messages.count == count ? true : nil } }
        #expect(got == true)
        loop.perform { loop.perform {} }
        #expect(server.seen.withLock { $0.messages.count } == count)
        loop.perform { connection.resumeReading() }
      }
      #expect(
        server.seen.withLock { $0.messages.map { String(decoding: $0.bytes, as: UTF8.self) } } == [
          "0", "1", "2", "3", "4",
        ]
      )
    }
  }
}
