import Glibc
import Synchronization
import TestSupport
import Testing

@testable import WebSocketLoop

@Suite("HTTP") struct HTTPTests {
  @Test("GET, POST, PUT and DELETE, with and without a body, on one connection") func methods() async throws {
    try await withServer { port, _ in
      let client = RawClient(port: port)
      for (request, expected) in [
        ("GET /a?b=c HTTP/1.1\r\nHost: l\r\n\r\n", "GET /a b=c "),
        ("GET http://localhost/a?b=/c HTTP/1.1\r\nHost: l\r\n\r\n", "GET /a b=/c "),
        ("POST /a HTTP/1.1\r\nHost: l\r\nContent-Length: 5\r\n\r\nhello", "POST /a  hello"),
        ("POST /a HTTP/1.1\r\nHost: l\r\nContent-Length: 0\r\n\r\n", "POST /a  "),
        ("POST /a HTTP/1.1\r\nHost: l\r\n\r\n", "POST /a  "),
        (
          "PUT /a HTTP/1.1\r\nHost: l\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n6\r\n world\r\n0\r\nT: x\r\n\r\n",
          "PUT /a  hello world"
        ),
        (
          "PUT /a HTTP/1.1\r\nHost: l\r\nTransfer-Encoding: Chunked\r\n\r\n0000000a\r\n0123456789\r\n0\r\n\r\n",
          "PUT /a  0123456789"
        ),
        ("DELETE /a HTTP/1.1\r\nHost: l\r\nContent-Length: 2\r\n\r\n{}", "DELETE /a  {}"),
        ("POST /a HTTP/1.1\r\nHost: l\r\nContent-Length:\t2 \r\nContent-Length: 2\r\n\r\n{}", "POST /a  {}"),
        ("POST /a HTTP/1.1\r\nHost: l\r\nContent-Length: 000000000000000002\r\n\r\n{}", "POST /a  {}"),
        ("DELETE /a HTTP/1.1\r\nHost: l\r\n\r\n", "DELETE /a  "),
        ("BREW /a HTTP/1.1\r\nHost: l\r\n\r\n", "BREW /a  "),
        ("CONNECT l:80 HTTP/1.1\r\nHost: l\r\n\r\n", "CONNECT l:80  "),
        ("OPTIONS * HTTP/1.1\r\nHost: l\r\n\r\n", "OPTIONS *  "),
        ("GET http://localhost:80/a?b HTTP/1.1\r\nHost: l\r\n\r\n", "GET /a b "),
        ("GET HTTPS://localhost HTTP/1.1\r\nHost: l\r\n\r\n", "GET /  "),
      ] {
        client.send(request)
        let answer = try #require(client.readAnswer())
        #expect(answer.status == 200)
        #expect(answer.body == expected)
        #expect(answer.head.contains("\r\nDate: "))
      }
    }
  }

  @Test("HEAD gets the headers of GET, without the body") func head() async throws {
    try await withServer { port, _ in
      let client = RawClient(port: port)
      client.send("HEAD /a HTTP/1.1\r\nHost: l\r\n\r\nGET /b HTTP/1.1\r\nHost: l\r\n\r\n")
      let answer = try #require(client.readAnswer(hasBody: false))
      #expect(answer.head.contains("Content-Length: 9\r\n"))
      #expect(client.readAnswer()?.body == "GET /b  ")
    }
  }

  @Test("Pipelined requests are answered in order, even if answers are late and bytes come one by one")
  func pipelined() async throws {
    let server = TestServer()
    server.onRequest = { pending in
      let answer: () -> Void = { pending.answer(Response(status: 200, body: Array(pending.request.path.utf8))) }
      if pending.request.path.hasSuffix("3") { pending.later(answer) } else { answer() }
    }
    try await withServer(server) { port, _ in
      let client = RawClient(port: port)
      client.send((0..<500).map { "POST /\($0) HTTP/1.1\r\nHost: l\r\nContent-Length: 1\r\n\r\nx" }.joined())
      for number in 0..<500 { #expect(client.readAnswer()?.body == "/\(number)") }
      for byte in "\r\nGET /slow HTTP/1.1\r\nHost: l\r\n\r\n".utf8 { client.send([byte]) }
      #expect(client.readAnswer()?.body == "/slow")
    }
  }

  @Test("An answer may come later; pipelined requests wait for it") func laterAnswer() async throws {
    let server = TestServer()
    let held = Mutex<[PendingRequest]>([])
    server.onRequest = { pending in held.withLock { $0.append(pending) } }
    try await withServer(server) { port, loop in
      let client = RawClient(port: port)
      client.send("GET /1 HTTP/1.1\r\nHost: l\r\n\r\nGET /2 HTTP/1.1\r\nHost: l\r\n\r\n")
      for number in 1...2 {
        let pending = try #require(await eventually { held.withLock { $0.count == number ? $0.last : nil } })
        #expect(loop.perform { pending.isOpen })
        loop.perform { pending.answer(Response(status: 200, body: Array("answer \(number)".utf8))) }
        #expect(client.readAnswer()?.body == "answer \(number)")
        // A second answer is ignored.
        loop.perform { pending.answer(Response(status: 500)) }
      }
    }
  }

  @Test("If a handler never answers, the client gets 503") func neverAnswered() async throws {
    let server = TestServer()
    let held = Mutex<PendingRequest?>(nil)
    let gone = Mutex(false)
    server.onRequest = { pending in
      pending.whenGone { gone.withLock { $0 = true } }
      held.withLock { $0 = pending }
    }
    try await withServer(server, options: ListenOptions { $0.http.answerWithinMilliseconds = 50 }) { port, loop in
      let client = RawClient(port: port, sending: "GET / HTTP/1.1\r\nHost: l\r\n\r\n")
      let answer = try #require(client.readAnswer())
      #expect(answer.status == 503 && !answer.head.contains("Retry-After"))
      #expect(answer.body.contains("\"unavailable\""))
      #expect(await server.refusals(1) == [503])
      let pending = try #require(held.withLock { $0 })
      #expect(loop.perform { pending.answer(Response(status: 200)) } == false)
      #expect(gone.withLock { $0 }, "it waits no longer")
    }
  }

  @Test("Connection: close and HTTP/1.0 end the connection after the answer") func closes() async throws {
    try await withServer { port, _ in
      for request in ["GET / HTTP/1.1\r\nHost: l\r\nConnection: Close\r\n\r\n", "GET / HTTP/1.0\r\n\r\n"] {
        let client = RawClient(port: port, sending: request)
        let answer = try #require(client.readAnswer())
        #expect(answer.head.contains("Connection: close\r\n"))
        #expect(client.hasEnded)
      }
      let client = RawClient(port: port)
      for _ in 0..<2 {
        client.send("GET / HTTP/1.0\r\nConnection: x, Keep-Alive\r\n\r\n")
        #expect(client.readAnswer()?.head.contains("Connection: close\r\n") == false)
      }
    }
  }

  @Test("An answer says when it was made, as HTTP writes times") func date() async throws {
    func written(_ moment: time_t) -> String {
      var (moment, parts, room) = (moment, tm(), [CChar](repeating: 0, count: 64))
      gmtime_r(&moment, &parts)
      let count = strftime(&room, room.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
      return String(decoding: room[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
    try await withServer { port, _ in
      let before = time(nil)
      let client = RawClient(port: port, sending: "GET / HTTP/1.1\r\nHost: l\r\n\r\n")
      let head = try #require(client.readAnswer()).head
      #expect((before...time(nil)).contains { head.contains("\r\nDate: \(written($0))\r\n") }, "\(head)")
    }
  }

  @Test("What has no body doesn't say how long it would be, and errors have codes of their own") func heads() {
    for (status, length) in [(101, false), (200, true), (204, false), (304, false), (404, true), (503, true)] {
      let head = String(decoding: Response(status: status).head(closing: false, date: "now"), as: UTF8.self)
      #expect(head.hasPrefix("HTTP/1.1 \(status) ") && head.hasSuffix("\r\nDate: now\r\n\r\n"), "\(head)")
      #expect(head.contains("\r\nContent-Length: 0\r\n") == length, "\(head)")
    }
    for (status, code) in [(400, "bad_request"), (408, "bad_request"), (413, "too_large"), (503, "unavailable")] {
      let body = #"{"error":{"code":"\#(code)","message":"a \\\"b\" c"}}"#
      #expect(Response.error(HTTPFault(status: status, message: "a \\\"b\"\nc")).body == Array(body.utf8))
    }
    #expect(
      Response.error(HTTPFault(status: 426, message: "")).headers.contains { $0 == ("Sec-WebSocket-Version", "13") }
    )
  }

  @Test("H13: unless told otherwise, a head has 10 s, a body 30 s, and some of a body comes every 10 s") func times() {
    let options = HTTPOptions()
    #expect(options.headWithinMilliseconds == 10_000 && options.bodyWithinMilliseconds == 30_000)
    #expect(options.bodyStallMilliseconds == 10_000 && options.graceMilliseconds == 1_000)
  }

  @Test("A large body arrives whole from its one buffer, while a slow reader holds nobody up") func largeBody()
    async throws
  {
    let body = [UInt8](repeating: 0x61, count: 30_000_000)
    let server = TestServer()
    server.onRequest = { $0.answer(Response(status: 200, body: $0.request.path == "/large" ? body : [])) }
    try await withServer(server) { port, _ in
      let slow = RawClient(port: port, receiveBufferBytes: 4_096)
      slow.send("GET /large HTTP/1.1\r\nHost: l\r\n\r\n")
      let quick = RawClient(port: port, sending: "GET /small HTTP/1.1\r\nHost: l\r\n\r\n")
      #expect(quick.readAnswer()?.status == 200)
      let answer = try #require(slow.readAnswer())
      #expect(answer.body.utf8.count == body.count)
    }
  }

  @Test("A head may have exactly as many headers and bytes as the limits say, whole or byte by byte") func headLimits()
    async throws
  {
    let options = HTTPOptions()
    func head(headers: Int) -> String {
      "GET / HTTP/1.1\r\nHost: l\r\n" + String(repeating: "X: y\r\n", count: headers - 1) + "\r\n"
    }
    /// A request head of this length, without the empty line at its end.
    func head(bytes: Int) -> String {
      let start = "GET / HTTP/1.1\r\nHost: l\r\nX: "
      return start + String(repeating: "x", count: bytes - start.utf8.count) + "\r\n\r\n"
    }
    let cases: [(String, Int)] = [
      (head(headers: options.headersMax), 200), (head(headers: options.headersMax + 1), 431),
      (head(bytes: options.headBytesMax), 200), (head(bytes: options.headBytesMax + 1), 431),
      (head(bytes: 20_000), 431),
    ]
    for (request, status) in cases {
      // Any splitting of the bytes must give the same head.
      let bytes = Array(request.utf8)
      for cut in [0, bytes.count / 2] + (bytes.count - 6..<bytes.count) {
        var parser = HeadParser(bytesMax: options.headBytesMax, headersMax: options.headersMax)
        var answer = 200
        do throws(HTTPFault) {
          var received = Array(bytes[..<cut])
          #expect(try parser.take(&received) == nil)
          received += bytes[cut...]
          #expect(try parser.take(&received) != nil && received.isEmpty)
        } catch {
          answer = error.status
        }
        #expect(answer == status, "\(bytes.count) bytes, cut at \(cut)")
      }
    }
    try await withServer { port, _ in
      for (request, status) in cases {
        let client = RawClient(port: port, sending: request)
        #expect(client.readAnswer()?.status == status, "\(request.utf8.count) bytes")
      }
    }
  }

  @Test("A short head is found behind a longer one that came in two pieces") func headBehindPieces() throws {
    var parser = HeadParser(bytesMax: 1_000, headersMax: 10)
    var received = Array("GET /first HTTP/1.1\r\nHost: localhost\r\n".utf8)
    #expect(try parser.take(&received) == nil)
    received += Array("\r\nGET / HTTP/1.0\r\n\r\n".utf8)
    for line in ["GET /first HTTP/1.1", "GET / HTTP/1.0"] {
      let head = try parser.take(&received)
      #expect(head?.firstLine == Array(line.utf8))
    }
  }

  @Test(
    "A request that can't be understood is answered with the reason, and the connection ends",
    arguments: [
      ("\u{16}\u{3}\u{1}garbage\r\n\r\n", 400), ("GET\r\n\r\n", 400), ("GET / HTTP/2.0\r\nHost: l\r\n\r\n", 505),
      ("GET / HTTP/1.1\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
      ("GET / HTTP/1.1\r\nHost : a\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n", 400),
      ("GET / HTTP/1.1\nHost: a\n\n", 400), ("GET / HTTP/1.1\r\nHost: a\nX: y\r\n\r\n", 400),
      ("GET / HTTP/1.1\r\nHost: a\r\nX: \u{1}\r\n\r\n", 400),
      ("GET  / HTTP/1.1\r\nHost: a\r\n\r\n", 400), ("GET nowhere HTTP/1.1\r\nHost: a\r\n\r\n", 400),
      ("GET http://localhost?x=/metrics HTTP/1.1\r\nHost: a\r\n\r\n", 400),
      ("GET / HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: a\r\n: x\r\n\r\n", 400),
      ("GET / HTTP/1.1\r\nHost: a\r\nX: \u{7F}\r\n\r\n", 400), ("GET / HTTX/1.1\r\nHost: a\r\n\r\n", 400),
      ("GET * HTTP/1.1\r\nHost: a\r\n\r\n", 400), ("OPTIONS *x HTTP/1.1\r\nHost: a\r\n\r\n", 400),
      ("G(T / HTTP/1.1\r\nHost: a\r\n\r\n", 400), ("GET /\u{7F} HTTP/1.1\r\nHost: a\r\n\r\n", 400),
      ("\(String(repeating: "G", count: 33)) / HTTP/1.1\r\nHost: a\r\n\r\n", 400),
      ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +5\r\n\r\nhello", 400),
      ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n\r\n", 400),
      ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0000000000000000005\r\n\r\nhello", 400),
      ("POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", 400),
      ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n;a=b\r\n", 400),
      ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n000000005\r\nhello\r\n", 400),
      ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\nhello\r\n", 400),
      ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -5\r\n\r\n", 400),
      ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n", 400),
      ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
      ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
      ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n", 501),
      ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400),
      ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n+5\r\nhello\r\n0\r\n\r\n", 400),
      ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n", 400),
      ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5 6\r\n", 400),
      ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nno header\r\n\r\n", 400),
      ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n", 400),
      ("POST / HTTP/1.1\r\nHost: a\r\nExpect: miracles\r\nContent-Length: 1\r\n\r\n", 417),
    ]
  )
  func garbage(text: String, status: Int) async throws {
    let server = TestServer()
    server.onRequest = { _ in Issue.record("the handler was asked") }
    try await withServer(server) { port, _ in
      let client = RawClient(port: port, sending: text)
      let answer = try #require(client.readAnswer())
      #expect(answer.status == status)
      #expect(answer.head.contains("Connection: close\r\n"))
      #expect(answer.head.contains("X-Content-Type-Options: nosniff\r\n"))
      #expect(answer.head.contains("Cross-Origin-Resource-Policy: same-origin\r\n"))
      #expect(client.hasEnded)
      #expect(await server.refusals(1) == [status])
    }
  }

  @Test("A body over the bound is 413 at once, and the rest of the body doesn't destroy the answer") func tooLarge()
    async throws
  {
    let server = TestServer()
    try await withServer(server, options: ListenOptions { $0.http.bodyBytesMax = 1_000 }) { port, _ in
      for head in ["Content-Length: 1001\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n3e9\r\n"] {
        let client = RawClient(port: port, sending: "POST / HTTP/1.1\r\nHost: l\r\n" + head)
        client.send([UInt8](repeating: 0x78, count: 1_001))
        let answer = try #require(client.readAnswer())
        #expect(answer.status == 413 && answer.body.contains("\"too_large\""))
      }
      #expect(await server.refusals(2) == [413, 413])
      let client = RawClient(port: port)
      client.send("POST / HTTP/1.1\r\nHost: l\r\nContent-Length: 1000\r\n\r\n" + String(repeating: "x", count: 1_000))
      #expect(client.readAnswer()?.body.utf8.count == 1_008)
    }
  }

  @Test("The handler allows or refuses a longer body before any of it is read") func longBody() async throws {
    let server = TestServer()
    server.onLongBody = { $0.path == "/long" ? .accept(bytesMax: 2_000) : .refuse(Response(status: 401)) }
    try await withServer(server, options: ListenOptions { $0.http.bodyBytesMax = 1_000 }) { port, _ in
      for (path, length, status) in [
        ("/long", "Content-Length: 2000", 200), ("/long", "Content-Length: 2001", 413),
        ("/long", "Transfer-Encoding: chunked", 200), ("/", "Transfer-Encoding: chunked", 401),
        ("/", "Content-Length: 1001\r\nExpect: 100-continue", 401), ("/", "Content-Length: 1000", 200),
      ] {
        let client = RawClient(port: port, sending: "POST \(path) HTTP/1.1\r\nHost: l\r\n\(length)\r\n\r\n")
        if status == 200 {
          let count = length.hasSuffix("chunked") ? 2_000 : Int(length.split(separator: " ")[1])!
          let body = String(repeating: "x", count: count)
          client.send(length.hasSuffix("chunked") ? "7d0\r\n\(body)\r\n0\r\n\r\n" : body)
        }
        #expect(client.readAnswer()?.status == status, "\(path) \(length)")
      }
    }
  }

  @Test("H13: all bodies and answers together are bounded; those of up to 64 KB notice nothing") func held()
    async throws
  {
    var options = ListenOptions()
    options.http.heldBytesMax = 1_000_000
    options.http.graceMilliseconds = 60_000
    let server = TestServer()
    let large = [UInt8](repeating: 0x61, count: 800_000)
    let sent = Mutex<[Bool]>([])
    server.onRequest = { pending in
      let count = Int(pending.request.query) ?? 0
      let isSent = pending.answer(Response(status: 200, body: Array(large.prefix(count))))
      sent.withLock { $0.append(isSent) }
    }
    try await withServer(server, options: options) { port, loop in
      func begun() -> RawClient {
        let client = RawClient(port: port, sending: "POST /a HTTP/1.1\r\nHost: l\r\nContent-Length: 970001\r\n\r\n")
        client.send([UInt8](repeating: 0x78, count: 970_000))
        return client
      }
      let first = begun()
      _ = await eventually { loop.perform { loop.counts.bytesReceived >= 970_000 } ? true : nil }
      // The first body uses most of the memory limit. A second body or an answer of this size is refused, but a small
      // answer is accepted.
      let second = begun()
      let refused = try #require(second.readAnswer())
      #expect(refused.status == 503)
      #expect(refused.head.contains("Retry-After: 1\r\n"))
      let reader = RawClient(port: port)
      reader.send("GET /?65537 HTTP/1.1\r\nHost: l\r\n\r\nGET /?65536 HTTP/1.1\r\nHost: l\r\n\r\n")
      #expect(reader.readAnswer()?.status == 503)
      #expect(reader.readAnswer()?.body.utf8.count == 65_536)
      #expect(await server.refusals(2) == [503, 503])
      let isSent = await eventually { sent.withLock { $0.count == 2 ? $0 : nil } }
      #expect(isSent == [false, true])
      for (count, status) in [(65_536, 200), (65_537, 503)] {
        let body = String(repeating: "x", count: count)
        let poster = RawClient(
          port: port,
          sending: "POST / HTTP/1.1\r\nHost: l\r\nContent-Length: \(count)\r\n\r\n" + body
        )
        #expect(poster.readAnswer()?.status == status, "\(count)")
      }

      first.send("x")
      #expect(first.readAnswer()?.status == 200)
      reader.send("GET /?800000 HTTP/1.1\r\nHost: l\r\n\r\n")
      #expect(reader.readAnswer()?.body.utf8.count == large.count)
      // If a client disconnects in the middle of its body, the memory is free again.
      _ = begun()
      let isServed = await eventually {
        reader.send("GET /?800000 HTTP/1.1\r\nHost: l\r\n\r\n")
        return reader.readAnswer()?.status == 200 ? true : nil
      }
      #expect(isServed == true)
    }
  }

  @Test("A client that asks before it sends a body learns whether to go on") func expectContinue() async throws {
    try await withServer(options: ListenOptions { $0.http.bodyBytesMax = 1_000 }) { port, _ in
      let client = RawClient(port: port)
      client.send("POST / HTTP/1.1\r\nHost: l\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
      #expect(client.read(through: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
      client.send("ok")
      #expect(client.readAnswer()?.body == "POST /  ok")
      client.send("POST / HTTP/1.1\r\nHost: l\r\nContent-Length: 2000\r\nExpect: 100-continue\r\n\r\n")
      #expect(client.readAnswer()?.status == 413)
    }
  }

  @Test("Heads and bodies that drip are 408, and idle connections are closed") func slow() async throws {
    var options = ListenOptions()
    // This timeout is long enough to send the whole request, even on a busy machine.
    options.http.headWithinMilliseconds = 500
    options.http.bodyWithinMilliseconds = 500
    options.http.idleMilliseconds = 500
    try await withServer(options: options) { port, _ in
      let dripping = RawClient(port: port, sending: "GET / HT")
      #expect(dripping.readAnswer()?.status == 408)
      let steady = RawClient(port: port)
      var bytesSent = 0
      while bytesSent < 100, !steady.hasSomething(withinMilliseconds: 100) {
        steady.send("G")
        bytesSent += 1
      }
      #expect(bytesSent < 100)
      #expect(steady.readAnswer()?.status == 408)
      let halfway = RawClient(port: port, sending: "POST / HTTP/1.1\r\nHost: l\r\nContent-Length: 10\r\n\r\nhalf")
      #expect(halfway.readAnswer()?.status == 408)
      let silent = RawClient(port: port)
      #expect(silent.hasEnded)
      let idle = RawClient(port: port, sending: "GET / HTTP/1.1\r\nHost: l\r\n\r\n")
      #expect(idle.readAnswer()?.status == 200)
      #expect(idle.hasEnded)
    }
  }

  @Test("A reader that takes nothing of an answer is dropped") func stalledAnswer() async throws {
    let server = TestServer()
    server.onRequest = { $0.answer(Response(status: 200, body: [UInt8](repeating: 1, count: 30_000_000))) }
    try await withServer(server, options: ListenOptions { $0.http.stallMilliseconds = 100 }) { port, loop in
      let client = RawClient(port: port, receiveBufferBytes: 4_096)
      client.send("GET / HTTP/1.1\r\nHost: l\r\n\r\n")
      let gone = await eventually {
        loop.perform { loop.counts.httpConnections == 0 && loop.counts.bytesSent > 0 } ? true : nil
      }
      #expect(gone == true)
      #expect(client.readToEnd().count < 30_000_000)
    }
  }

  @Test("One connection too many is 503; when one leaves, another may come") func connectionsMax() async throws {
    let server = TestServer()
    try await withServer(server, options: ListenOptions { $0.connectionsMax = 2 }) { port, loop in
      let first = RawClient(port: port)
      first.upgrade()
      var second: RawClient? = RawClient(port: port)
      second?.send("GET / HTTP/1.1\r\nHost: l\r\n\r\n")
      #expect(second?.readAnswer()?.status == 200)
      let refused = try #require(RawClient(port: port).readAnswer())
      #expect(refused.status == 503 && refused.head.contains("Retry-After: 1\r\n"))
      #expect(await server.refusals(1) == [503])
      second = nil
      let third = await eventually { () -> RawClient.Answer? in
        let client = RawClient(port: port, sending: "GET / HTTP/1.1\r\nHost: l\r\n\r\n")
        return client.readAnswer().flatMap { $0.status == 200 ? $0 : nil }
      }
      #expect(third != nil)
    }
  }

  @Test(
    "H9: a path's parts are the texts between slashes, even empty ones",
    arguments: [
      ("/", []), ("/v1/rooms", ["v1", "rooms"]), ("/v1/rooms/", ["v1", "rooms"]), ("//demo", ["", "demo"]),
      ("/v1/rooms//ops", ["v1", "rooms", "", "ops"]), ("/v1/rooms//", ["v1", "rooms", ""]), ("//", [""]),
      ("/a%20b/%C3%A9", ["a b", "é"]), ("/%ZZ/%FF/%", ["%ZZ", "%FF", "%"]), ("*", ["*"]), ("l:80", ["l:80"]),
    ] as [(String, [String])]
  )
  func pathParts(path: String, parts: [String]) {
    #expect(Request(path: path).pathParts == parts)
  }

  @Test("H12: a few empty lines before a head are passed over and take no memory; more are 400, however they come")
  func emptyLines() async throws {
    let head = Array("GET / HTTP/1.1\r\nHost: l\r\n\r\n".utf8)
    let line = Array("\r\n".utf8)
    var parser = HeadParser(bytesMax: 100, headersMax: 10)
    // The empty lines are counted separately for each request's head.
    for _ in 0..<3 {
      var received: [UInt8] = []
      for _ in 0..<8 {
        received += line
        #expect(try parser.take(&received) == nil && received.isEmpty)
      }
      received += head
      #expect(try parser.take(&received) != nil)
    }
    var many = Array(repeatElement(line, count: 30_000).joined()) + head
    #expect(throws: HTTPFault.malformed("there are too many empty lines before a head")) { try parser.take(&many) }
    try await withServer { port, _ in
      for byByte in [false, true] {
        let client = RawClient(port: port)
        let lines = Array(repeatElement(line, count: 9).joined())
        if byByte { for byte in lines { client.send([byte]) } } else { client.send(lines) }
        #expect(client.readAnswer()?.status == 400)
      }
    }
  }

  @Test("H12: a path has at most 64 parts, a query 64 parameters, and a header that is a list 64 elements")
  func countsOfParts() async throws {
    func request(parts: Int = 1, parameters: Int = 1, list: (name: String, count: Int) = ("Accept", 1)) -> String {
      "GET \(String(repeating: "/a", count: parts))?\(String(repeating: "=&", count: parameters)) HTTP/1.1\r\n"
        + "Host: l\r\n\(list.name): \(String(repeating: ",", count: list.count - 1))\r\n\r\n"
    }
    let lists = Request.ListHeader.allCases.map(\.rawValue)
    let taken = [request(parts: 64), request(parameters: 64), request(list: ("Accept-Encoding", 64))]
    let refused = [request(parts: 65), request(parameters: 65)] + lists.map { request(list: ($0, 65)) }
    try await withServer { port, _ in
      for (requests, status) in [(taken, 200), (refused, 400)] {
        for request in requests {
          let client = RawClient(port: port, sending: request)
          #expect(client.readAnswer()?.status == status, "\(request)")
        }
      }
    }
  }

  @Test("A connection hands over one request in a turn of the loop, whatever it has sent")
  func oneRequestATurn() async throws {
    let server = TestServer()
    let turns = TurnNumbers()
    server.onRequest = { pending in
      turns.note()
      pending.answer(Response(status: 200))
    }
    try await withServer(server) { port, loop in
      loop.perform { loop.register(turns) }
      let client = RawClient(port: port, sending: String(repeating: "GET / HTTP/1.1\r\nHost: l\r\n\r\n", count: 100))
      for _ in 0..<100 { #expect(client.readAnswer()?.status == 200) }
    }
    #expect(turns.most == 1 && turns.count == 100)
  }

  @Test("Headers of one name are one, parameters keep their order, and a list has what is between its commas")
  func lists() {
    let headers = [("accept", " a ,, b"), ("x", "1"), ("accept", "c\t"), ("x", "2")]
    let request = Request(path: "/", query: "a=1&b=%31+%2B&a=2&c&=x&d==", headers: headers)
    #expect(request.header("x") == "1, 2" && request.header("y") == nil)
    #expect(request.list(.accept) == ["a", "b", "c"] && request.list(.upgrade) == [])
    #expect(["a", "b", "c", "d", ""].map { request.parameter($0) } == ["1", "1 +", "", "=", "x"])
    #expect(request.parameterNames == ["a", "b", "a", "c", "d"])
    #expect(Request(path: "/a+b").pathParts == ["a+b"])
    for name in ["via", "forwarded", "x-forwarded-for", "x-forwarded-proto", "host"] {
      let isProxys = !["x-forwarded-proto", "host"].contains(name)
      #expect(Request(path: "/", headers: [(name, "x")]).hasPassedProxy == isProxys, "\(name)")
    }
  }

  @Test("A parameter that is wrongly escaped or not UTF-8 has no value, but isn't missing")
  func malformedParameters() {
    for (query, name) in [("at=%ZZ", "at"), ("a=1&box=%FF&c=%", "box"), ("stamps=%2", "stamps"), ("a%zt=0", "a%zt")] {
      let request = Request(path: "/", query: query)
      #expect(request.malformedParameter == name)
      #expect(request.parameter(name) == nil)
    }
    for query in ["", "a", "a=", "=", "a=%C3%A9+b", "a=1&&b=2"] {
      #expect(Request(path: "/", query: query).malformedParameter == nil, "\(query)")
    }
  }

  @Test("A header's value can't add lines of its own") func headerInjection() async throws {
    let server = TestServer()
    server.onRequest = { $0.answer(Response(status: 200, headers: [("X-Name", "a\r\nX-Other: b")])) }
    try await withServer(server) { port, _ in
      let client = RawClient(port: port, sending: "GET / HTTP/1.1\r\nHost: l\r\n\r\n")
      #expect(client.readAnswer()?.head.contains("X-Name: a  X-Other: b\r\n") == true)
    }
  }
}

extension PendingRequest {
  /// Runs `work` in a later iteration of the loop.
  fileprivate func later(_ work: @escaping () -> Void) {
    loop.schedule(afterMilliseconds: 0, work)
  }
}
