import Dispatch
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import WebSocketLoop

/// A client that records its events.
///
/// `@unchecked Sendable`: a mutex protects the recorded events, and the behaviour is set before the client connects.
final class TestClient: ConnectionHandler, @unchecked Sendable {
  struct Heard {
    var subprotocol: String??
    var texts: [String] = []
    /// For each message, whether it was a text.
    var kinds: [Bool] = []
    var closures: [Closure] = []
  }

  let heard = Mutex(Heard())
  var onConnected: (Connection) -> Void = { _ in }
  var onMessage: (Connection, Message) -> Void = { _, _ in }

  func connected(_ connection: Connection, request: Request) {
    heard.withLock { $0.subprotocol = .some(connection.subprotocol) }
    onConnected(connection)
  }

  func received(_ message: Message, on connection: Connection) {
    heard.withLock {
      $0.texts.append(String(decoding: message.bytes, as: UTF8.self))
      $0.kinds.append(message.isText)
    }
    onMessage(connection, message)
  }

  func writable(_ connection: Connection) {}
  func closed(_ connection: Connection, closure: Closure) { heard.withLock { $0.closures.append(closure) } }

  func closure() async -> Closure? { await eventually { self.heard.withLock { $0.closures.first } } }
}

@Suite("Clients") struct ClientTests {
  @Test("Client and server exchange messages of all sizes, masked, and close properly") func exchange() async throws {
    var options = ListenOptions()
    options.subprotocols = ["canvas.v1.json"]
    let server = TestServer()
    try await withServer(server, options: options) { port, loop in
      let client = TestClient()
      let texts = [0, 1, 125, 126, 5_000, 70_000, 900_000].map { (count: Int) -> String in
        let letters: [UInt8] = (0..<count).map { (index: Int) -> UInt8 in UInt8(97 + (index &* 31 >> 3) % 26) }
        return String(decoding: letters, as: UTF8.self)
      }
      client.onConnected = { connection in
        for text in texts { #expect(connection.send(MessageFrames(text: text))) }
      }
      client.onMessage = { connection, _ in
        if client.heard.withLock({ $0.texts.count }) == texts.count { connection.close(code: 1000, reason: "done") }
      }
      loop.perform {
        loop.connect(
          to: Endpoint(host: "127.0.0.1", port: port, path: "/v1/rooms/demo/sync", query: "token=t"),
          subprotocols: ["soap", "canvas.v1.json"],
          headers: [("Authorization", "Bearer T")],
          handler: client
        )
      }
      #expect(await client.closure() == Closure(cause: .ours, code: 1000, reason: "done"))
      #expect(await server.closure() == Closure(cause: .peer, code: 1000, reason: "done"))
      #expect(client.heard.withLock { $0.texts.map(\.utf8.count) } == texts.map(\.utf8.count))
      let isSame = client.heard.withLock { $0.texts } == texts
      #expect(isSame)
      // `TestServer` selects the first subprotocol that the client offers. The listener doesn't support it, so none is
      // used.
      #expect(client.heard.withLock { $0.subprotocol } == .some(nil))
      let request = try #require(server.seen.withLock { $0.requests.first })
      #expect(request.path == "/v1/rooms/demo/sync" && request.parameter("token") == "t")
      #expect(request.header("authorization") == "Bearer T")
      #expect(loop.perform { loop.counts.connections } == 0)
    }
  }

  @Test("All plain connections share what libwebsockets keeps for them, and so do all over TLS")
  func sharedHosts() throws {
    let loop = try EventLoop(name: "hosts", speaksTLS: true)
    defer { loop.stop() }
    let areShared = loop.perform { () -> Bool in
      guard let trust = loop.guest(TLSTrust.self), let context = loop.websockets,
        let plain = context.clientHost(trust: nil), let secure = context.clientHost(trust: trust)
      else { return false }
      let isShared = context.clientHost(trust: nil) === plain && context.clientHost(trust: trust) === secure
      return isShared && plain !== secure
    }
    #expect(areShared)
  }

  @Test("Empty messages go both ways between others") func emptyMessages() async throws {
    try await withServer { port, loop in
      let client = TestClient()
      let texts = ["", "one", "", "", "two", ""]
      client.onConnected = { connection in
        for text in texts { #expect(connection.send(MessageFrames(text: text))) }
      }
      loop.perform { loop.connect(to: Endpoint(host: "127.0.0.1", port: port), handler: client) }
      let heard = await eventually { client.heard.withLock { $0.texts.count == texts.count ? $0.texts : nil } }
      #expect(heard == texts)
    }
  }

  @Test("The server's close code and reason reach the client") func serverCloses() async throws {
    let server = TestServer()
    server.onConnected = { $0.close(code: 4404, reason: "gone") }
    try await withServer(server) { port, loop in
      let client = TestClient()
      loop.perform { loop.connect(to: Endpoint(host: "127.0.0.1", port: port), handler: client) }
      #expect(await client.closure() == Closure(cause: .peer, code: 4404, reason: "gone"))
    }
  }

  @Test("A refused upgrade reports its status, and a port where nobody listens that there is no connection")
  func refused() async throws {
    let server = TestServer()
    server.onUpgrade = { _ in .refuse(.error(403, code: "forbidden", message: "no")) }
    try await withServer(server) { port, loop in
      let client = TestClient()
      loop.perform { loop.connect(to: Endpoint(host: "127.0.0.1", port: port), handler: client) }
      #expect(await client.closure()?.cause == .refused(status: 403))
      let nobody = TestClient()
      loop.perform { loop.connect(to: Endpoint(host: "127.0.0.1", port: 1), handler: nobody) }
      #expect(await nobody.closure()?.cause == .refused(status: 0))
      #expect(client.heard.withLock { $0.closures.count } == 1)
      #expect(nobody.heard.withLock { $0.closures.count } == 1)
      #expect(loop.perform { loop.counts.connections } == 0)
    }
  }

  @Test("While the resolver doesn't answer, the loop goes on, and an attempt can be aborted or takes too long")
  func silentResolver() async throws {
    let answers = DispatchSemaphore(value: 0)
    try await withServer { port, loop in
      loop.perform {
        loop.guest(HostLookups.self)?.resolve = { _, port in
          answers.wait()
          return SocketAddress.resolve(host: "127.0.0.1", port: port)
        }
      }
      let endpoint = Endpoint(host: "board.example.com", port: port)
      let (aborted, late, found) = (TestClient(), TestClient(), TestClient())
      loop.perform {
        loop.connect(to: endpoint, handler: aborted).abort()
        loop.connect(to: endpoint, options: WebSocketOptions { $0.connectWithinMilliseconds = 80 }, handler: late)
        loop.connect(to: endpoint, options: WebSocketOptions { $0.connectWithinMilliseconds = 600_000 }, handler: found)
      }
      #expect(await aborted.closure()?.cause == .refused(status: 0))
      #expect(await late.closure()?.cause == .refused(status: 0))
      let request = await withCheckedContinuation { answer in
        loop.execute { loop.request("GET", endpoint, silentMilliseconds: 80) { answer.resume(returning: $0) } }
      }
      #expect(throws: HTTPRequestError.notConnected(errno: ETIMEDOUT)) { try request.get() }
      answers.signal()
      #expect(await eventually { found.heard.withLock { $0.subprotocol != nil ? true : nil } } == true)
    }
  }

  @Test("A request and a WebSocket go on to a name's next address if the first doesn't answer")
  func deafAddress() async throws {
    // A socket that accepts nothing: once its queue is full, the system answers no further attempt.
    let deaf = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(deaf) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    try withUnsafeMutablePointer(to: &address) { address in
      try address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        try #require(bind(deaf, address, length) == 0 && listen(deaf, 0) == 0)
        try #require(getsockname(deaf, address, &length) == 0)
      }
    }
    let deafPort = Int(UInt16(bigEndian: address.sin_port))
    let place = try #require(SocketAddress.resolve(host: "127.0.0.1", port: deafPort).first)
    let filling = try (0..<4).map { _ in try ClientSocket.connecting(to: place) }
    try await withServer { port, loop in
      loop.perform {
        loop.guest(HostLookups.self)?.resolve = { _, port in
          [place] + SocketAddress.resolve(host: "127.0.0.1", port: port)
        }
      }
      let endpoint = Endpoint(host: "board.example.com", port: port)
      let client = TestClient()
      loop.perform { loop.connect(to: endpoint, handler: client) }
      let answer = await withCheckedContinuation { answer in
        loop.execute { loop.request("GET", endpoint, silentMilliseconds: 20_000) { answer.resume(returning: $0) } }
      }
      #expect(throws: Never.self) { try answer.get() }
      #expect(await eventually { client.heard.withLock { $0.subprotocol != nil ? true : nil } } == true)
    }
    withExtendedLifetime(filling) {}
  }

  @Test("The client gives up on a silent server in time; an attempt can be aborted") func silence()
    async throws
  {
    let server = TestServer()
    try await withServer(server) { port, loop in
      let (silentPort, descriptor) = silentListener()
      defer { closeDescriptor(descriptor) }
      let client = TestClient()
      loop.perform {
        let options = WebSocketOptions { $0.connectWithinMilliseconds = 80 }
        loop.connect(to: Endpoint(host: "127.0.0.1", port: silentPort), options: options, handler: client)
      }
      #expect(await client.closure()?.cause == .refused(status: 0))
      let aborted = TestClient()
      loop.perform { loop.connect(to: Endpoint(host: "127.0.0.1", port: silentPort), handler: aborted).abort() }
      #expect(await aborted.closure()?.cause == .refused(status: 0))
    }
  }

  @Test("Our HTTP requests: bodies both ways, HEAD, and what goes wrong") func http() async throws {
    let server = TestServer()
    let large = [UInt8](repeating: 0x62, count: 5_000_000)
    server.onRequest = { pending in
      switch pending.request.path {
      case "/large": pending.answer(Response(status: 200, body: large))
      case "/none": pending.answer(Response(status: 204))
      case "/never": break
      default:
        pending.answer(Response(status: 201, headers: [("X-Method", pending.request.method)], body: pending.body))
      }
    }
    try await withServer(server) { port, loop in
      func ask(
        _ method: String,
        _ path: String,
        body: [UInt8] = [],
        port: Int = port,
        limit: Int = 64 << 20,
        within milliseconds: UInt64 = 10_000
      ) async -> Result<Response, HTTPRequestError> {
        await withCheckedContinuation { continuation in
          loop.execute {
            loop.request(
              method,
              Endpoint(host: "127.0.0.1", port: port, path: path),
              body: body,
              bodyBytesMax: limit,
              silentMilliseconds: milliseconds
            ) { continuation.resume(returning: $0) }
          }
        }
      }
      let posted = try await ask("POST", "/x", body: large).get()
      #expect(posted.status == 201 && posted.body == large)
      #expect(posted.headers.contains { $0.name == "x-method" && $0.value == "POST" })
      #expect(try await ask("GET", "/large").get().body.count == large.count)
      #expect(try await ask("HEAD", "/large").get().body.isEmpty)
      #expect(try await ask("DELETE", "/none").get().status == 204)
      await #expect(throws: HTTPRequestError.tookTooLong) { try await ask("GET", "/never", within: 300).get() }
      await #expect(throws: HTTPRequestError.tooLarge) { try await ask("GET", "/large", limit: 1_000).get() }
      await #expect(throws: HTTPRequestError.self) { try await ask("GET", "/", port: 1).get() }
    }
  }

  /// What a client takes from a peer that sends these bytes, whatever it is asked, and then no more.
  private func answer(from sent: String) async throws -> Result<Response, HTTPRequestError>? {
    var answer: Result<Response, HTTPRequestError>?
    try await withServer { _, loop in
      let (port, descriptor) = silentListener()
      defer { closeDescriptor(descriptor) }
      let (answers, continuation) = AsyncStream.makeStream(of: Result<Response, HTTPRequestError>.self)
      loop.execute {
        loop.request("GET", Endpoint(host: "127.0.0.1", port: port)) { continuation.yield($0) }
      }
      let accepted = accept(descriptor, nil, nil)
      defer { closeDescriptor(accepted) }
      // The client may have closed the connection before it has taken everything.
      _ = send(accepted, Array(sent.utf8), sent.utf8.count, Int32(MSG_NOSIGNAL))
      shutdown(accepted, Int32(SHUT_WR))
      answer = await answers.first { _ in true }
    }
    return answer
  }

  @Test("Heads that come before the answer are skipped, but not for ever", arguments: [100, 101])
  func interimHeads(count: Int) async throws {
    let heads = String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: count)
    let answer = try await answer(from: heads + "HTTP/1.1 204 No Content\r\n\r\n")
    #expect(answer != nil && (try? answer?.get())?.status == (count == 100 ? 204 : nil))
  }

  @Test(
    "An answer ends where it says, or with its connection, and what is no answer is told from one",
    arguments: [
      ("HTTP/1.1 200 OK\r\n\r\nto the end", "200 to the end"),
      ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokay", "200 ok"),
      ("HTTP/1.0 404\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nno\r\n0\r\n\r\n", "404 no"),
      ("HTTP/1.1 103 Early\r\n\r\nHTTP/1.1 204 None\r\nContent-Length: 9\r\n\r\n", "204 "),
      ("HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", "304 "),
      ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nno", "the answer breaks off"),
      ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nno\r\n", "the answer breaks off"),
      ("HTTP/1.1 200 OK\r\n", "the answer breaks off"), ("", "the answer breaks off"),
      ("HTTP/2.0 200 OK\r\n\r\n", "the status line is malformed"),
      ("HTTP/1.1 20\r\n\r\n", "the status line is malformed"),
      ("HTTP/1.1 099 No\r\n\r\n", "the status line is malformed"), ("HTTP/1.1\r\n\r\n", "the status line is malformed"),
    ]
  )
  func answers(sent: String, expected: String) async throws {
    switch try await answer(from: sent) {
    case .success(let answer): #expect("\(answer.status) \(String(decoding: answer.body, as: UTF8.self))" == expected)
    case .failure(let error): #expect(error == .malformed(expected))
    case nil: Issue.record("there was no answer")
    }
  }

  @Test("A request says what it is for, and how long its body is, also where a POST has none") func requestHead()
    async throws
  {
    let server = TestServer()
    let seen = Mutex<[String]>([])
    server.onRequest = { pending in
      let request = pending.request
      let names = ["host", "content-length", "connection", "x"]
      let words = ["\(request.method) \(request.path) \(request.query)"] + names.map { request.header($0) ?? "-" }
      seen.withLock { $0.append(words.joined(separator: "|")) }
      pending.answer(Response(status: 204))
    }
    try await withServer(server) { port, loop in
      let host = Endpoint(host: "127.0.0.1", port: port, path: "/a", query: "b=c")
      for (method, body) in [("GET", ""), ("POST", ""), ("PUT", "body")] {
        _ = await withCheckedContinuation { done in
          loop.execute {
            loop.request(method, host, headers: [("X", "y\r\nZ: z")], body: Array(body.utf8)) {
              done.resume(returning: $0)
            }
          }
        }
      }
      let place = "127.0.0.1:\(port)"
      #expect(
        seen.withLock(\.self) == [
          "GET /a b=c|\(place)|-|close|y  Z: z", "POST /a b=c|\(place)|0|close|y  Z: z",
          "PUT /a b=c|\(place)|4|close|y  Z: z",
        ]
      )
    }
  }

  @Test("Addresses are read as they are written, and those of IPv4 are so also over IPv6") func socketAddresses() throws
  {
    for (host, shown) in [("127.0.0.1", "127.0.0.1"), ("::1", "::1"), ("::ffff:192.0.2.1", "192.0.2.1")] {
      let address = try #require(SocketAddress.resolve(host: host, port: 40_321, flags: AI_NUMERICHOST).first)
      #expect(address.numericHost == shown && address.port == 40_321)
      #expect(address.family == (host.contains(":") ? AF_INET6 : AF_INET))
    }
    #expect(SocketAddress.resolve(host: "localhost", port: 1, flags: AI_NUMERICHOST).isEmpty)
    for (address, isLocal) in [
      ("127.0.0.1", true), ("127.255.0.9", true), ("128.0.0.1", false), ("::1", true), ("::2", false), ("1::1", false),
    ] {
      #expect(NetworkAddress(address)?.isLoopback == isLocal, "\(address)")
    }
  }

  @Test("An answer may take longer than the server may be silent") func slowAnswer() async throws {
    try await withServer { _, loop in
      let (port, descriptor) = silentListener()
      defer { closeDescriptor(descriptor) }
      let (answers, continuation) = AsyncStream.makeStream(of: Result<Response, HTTPRequestError>.self)
      loop.execute {
        let endpoint = Endpoint(host: "127.0.0.1", port: port)
        loop.request("GET", endpoint, silentMilliseconds: 3_000) { continuation.yield($0) }
      }
      let accepted = accept(descriptor, nil, nil)
      defer { closeDescriptor(accepted) }
      let bytes = Array("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nslowly!\n".utf8)
      // The loop sends the bytes, because a task may have to wait for other tests for seconds.
      @Sendable func drip(_ place: Int) {
        guard place < bytes.count, send(accepted, [bytes[place]], 1, Int32(MSG_NOSIGNAL)) == 1 else { return }
        loop.schedule(afterMilliseconds: 80) { drip(place + 1) }
      }
      loop.execute { drip(0) }
      let answer = await answers.first { _ in true }
      #expect((try? answer?.get())?.body == Array("slowly!\n".utf8))
    }
  }

  @Test(
    "URLs are split into their parts",
    arguments: [
      (
        "ws://127.0.0.1:8080/v1/rooms/demo/sync?token=t",
        Endpoint(host: "127.0.0.1", port: 8080, path: "/v1/rooms/demo/sync", query: "token=t")
      ),
      ("ws://localhost", Endpoint(host: "localhost", port: 80)),
      ("http://[::1]:99?x", Endpoint(host: "::1", port: 99, path: "/", query: "x")),
      ("http://localhost/a#b", Endpoint(host: "localhost", port: 80, path: "/a")),
      ("wss://localhost/", Endpoint(host: "localhost", port: 443, isSecure: true)),
      ("https://localhost:1/a", Endpoint(host: "localhost", port: 1, path: "/a", isSecure: true)),
      ("ws://[::1]/", Endpoint(host: "::1", port: 80)),
      ("ws://localhost?b?c#d", Endpoint(host: "localhost", port: 80, query: "b?c")),
      ("ws://localhost:65535", Endpoint(host: "localhost", port: 65_535)), ("ws://localhost:65536", nil),
      ("ws://localhost:", nil),
      ("ws://localhost/\u{7F}", nil), ("ws://localhost/ü", nil),
      ("wss:/localhost", nil), ("ws://", nil), ("ws://localhost:0/", nil), ("ws://localhost:x/", nil),
      ("ws://localhost/a b", nil), ("localhost", nil),
    ] as [(String, Endpoint?)]
  )
  func endpoints(url: String, expected: Endpoint?) {
    #expect(Endpoint(url) == expected)
  }
}
