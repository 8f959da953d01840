import Synchronization
import TestSupport
import Testing

@testable import WebSocketLoop

@Suite("Messages over WebSocket") struct MessageTests {
  @Test("A text and a binary message come back as what they were") func echo() async throws {
    try await withServer { port, _ in
      let client = RawClient(port: port)
      let head = try #require(client.upgrade())
      #expect(head.hasPrefix("HTTP/1.1 101 "))
      #expect(head.contains("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo="))
      client.sendText("grüße")
      #expect(client.readFrame() == .init(opcode: 1, isLast: true, payload: Array("grüße".utf8)))
      client.send(RawClient.masked(2, [0, 255, 128]))
      #expect(client.readFrame() == .init(opcode: 2, isLast: true, payload: [0, 255, 128]))
      client.sendText("")
      #expect(client.readFrame() == .init(opcode: 1, isLast: true, payload: []))
    }
  }

  @Test("A message longer than the bound closes with 1009 before it has come") func tooLarge() async throws {
    let server = TestServer()
    try await withServer(server, options: ListenOptions { $0.webSocket.messageBytesMax = 1_000 }) { port, _ in
      let client = RawClient(upgradedAt: port)
      // The frame announces far more bytes than the client sends.
      client.send(Array(RawClient.masked(2, [UInt8](repeating: 1, count: 100_000)).prefix(500)))
      #expect(client.readFrame()?.closeCode == 1009)
      client.send(RawClient.masked(8, [0x03, 0xF1]))
      #expect(client.hasEnded)
      #expect(await server.closure()?.code == 1009)
      #expect(server.seen.withLock { $0.messages.isEmpty })
    }
  }

  @Test("Where memory runs short, an idle message makes way for one that grows") func shortMemory() async throws {
    let options = ListenOptions {
      $0.webSocket.unfinishedBytesMax = 10_000
      $0.webSocket.silentCloseCode = 4408
      $0.http.graceMilliseconds = 0
    }
    try await withServer(options: options) { port, _ in
      let clients = [RawClient(upgradedAt: port), RawClient(upgradedAt: port)]
      let part = [UInt8](repeating: 1, count: 4_000)
      for client in clients {
        client.send(RawClient.masked(2, part, isLast: false) + RawClient.masked(9, [7]))
        #expect(client.readFrame()?.opcode == 10)
      }
      clients[0].send(RawClient.masked(0, part, isLast: false) + RawClient.masked(0, [2]))
      try #require(clients[0].readMessage() == part + part + [2])
      #expect(clients[1].readFrame()?.closeCode == 4408)
    }
  }

  @Test(
    "A malformed goodbye comes back as it was sent, and ends the connection",
    arguments: [([3], 1005, ""), ([0x03, 0xE8, 0xFF], 1000, "\u{FFFD}"), ([0xFF, 0xFF], 65_535, "")]
      as [([UInt8], UInt16, String)]
  )
  func malformedGoodbye(payload: [UInt8], code: UInt16, reason: String) async throws {
    let server = TestServer()
    try await withServer(server) { port, _ in
      let client = RawClient(upgradedAt: port)
      client.send(RawClient.masked(8, payload))
      #expect(client.readFrame() == .init(opcode: 8, isLast: true, payload: payload))
      #expect(client.hasEnded)
      #expect(await server.closure() == Closure(cause: .peer, code: code, reason: reason))
    }
  }

  @Test("Text that can't become UTF-8 is known as soon as its byte has come, and what can is not", arguments: 1...4)
  func utf8SoFar(size: Int) {
    // The first and the last character of each UTF-8 length, and each of these with one bit flipped.
    let edges: [UInt32] = [0x41, 0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFF, 0x10000, 0x10FFFF]
    for scalar in edges.compactMap(Unicode.Scalar.init) {
      let bytes = Array("é\(scalar)".utf8)
      guard bytes.count == size + 2 else { continue }
      for end in 0...bytes.count {
        #expect(bytes[..<end].withUnsafeBytes { $0.couldBecomeUTF8(from: 0).isSo }, "\(bytes[..<end])")
      }
      for place in bytes.indices {
        for bit in 0..<8 {
          var changed = bytes
          changed[place] ^= 1 << bit
          for end in 0...changed.count {
            // Computes the expected result by trying all possible next bytes.
            let tails: [[UInt8]] = [
              [], [0x80], [0x80, 0x80], [0x80, 0x80, 0x80], [0xBF], [0xBF, 0xBF], [0xBF, 0xBF, 0xBF],
            ]
            let canBe = tails.contains { tail in (changed[..<end] + tail).withUnsafeBytes { $0.isValidUTF8 } }
            #expect(changed[..<end].withUnsafeBytes { $0.couldBecomeUTF8(from: 0).isSo } == canBe, "\(changed[..<end])")
          }
        }
      }
    }
  }

  @Test("A frame cut into fragments reads as one message, and its boundaries are found") func frameLayout() {
    for count in [0, 1, 125, 126, 16_383, 16_384, 16_385, 32_768, 50_000] {
      let payload = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
      let frame = MessageFrames(binary: payload)
      frame.bytes.withUnsafeBytes { bytes in
        var place = 0
        var gathered: [UInt8] = []
        while place < bytes.count {
          let header = FrameHeader(readingOurOwn: UnsafeRawBufferPointer(rebasing: bytes[place...]))
          #expect(header.opcode == (place == 0 ? .binary : .continuation))
          #expect(FrameHeader.boundary(atOrAfter: place, in: bytes) == place)
          let end = place + header.byteCount + header.payloadCount
          #expect(FrameHeader.boundary(atOrAfter: place + 1, in: bytes) == end)
          // The first frame is taken whole in any case.
          #expect(FrameHeader.boundary(atOrBefore: end, in: bytes) == end)
          #expect(FrameHeader.boundary(atOrBefore: end - 1, in: bytes) == (place == 0 ? end : place))
          #expect(header.payloadCount <= MessageFrames.fragmentBytesMax)
          #expect(header.isLast == (end == bytes.count))
          gathered += bytes[(place + header.byteCount)..<end]
          place = end
        }
        #expect(gathered == payload)
      }
    }
  }

  @Test("Messages that come in a turn without time wait for the next ones, and keep their order") func heldMessages()
    async throws
  {
    let server = TestServer()
    let turns = TurnNumbers()
    server.onMessage = { connection, message in
      turns.note()
      work(microseconds: 2_000)
      connection.send(MessageFrames(text: message.bytes))
    }
    try await withServer(server) { port, loop in
      loop.perform { loop.register(turns) }
      let clients = (0..<10).map { _ in RawClient(port: port) }
      let long = String(repeating: "long ", count: 4_000)
      for client in clients { client.upgrade() }
      for client in clients {
        for number in 0..<5 {
          client.send(RawClient.masked(1, Array("\(number)".utf8)))
          client.send(RawClient.masked(1, Array((long + "\(number)").utf8)))
        }
        client.send(RawClient.masked(8, [0x03, 0xE8]))
      }
      for client in clients {
        for number in 0..<5 {
          #expect(client.readMessage() == Array("\(number)".utf8))
          #expect(client.readMessage()?.count == long.utf8.count + 1)
        }
        #expect(client.readFrame()?.closeCode == 1_000)
      }
    }
    #expect(turns.count == 100 && turns.most <= 4)
  }

  @Test("WebSockets that end together are closed in portions, so that a turn ends after five milliseconds")
  func endsInPortions() async throws {
    let server = TestServer()
    let turns = TurnNumbers()
    server.onClosed = {
      turns.note()
      work(microseconds: 1_000)
    }
    try await withServer(server) { port, loop in
      loop.perform { loop.register(turns) }
      let clients = Mutex((0..<40).map { _ in RawClient(port: port) })
      clients.withLock { for client in $0 { client.upgrade() } }
      // All clients leave during this closure, which keeps the loop busy. So the loop learns of all of them in one
      // iteration.
      loop.perform { clients.withLock { $0 = [] } }
      #expect(await eventually { turns.count == 40 ? true : nil } == true)
    }
    // An iteration never has more than seven events. On a busy machine it can have fewer.
    #expect(turns.most <= 7)
  }

  @Test(
    "A peer that sends a flood of pings, pongs or empty fragments rests, and one that sends messages doesn't",
    arguments: ["pings", "pongs", "fragments", "messages"]
  )
  func overhead(kind: String) async throws {
    let server = TestServer()
    let connection = Mutex<Connection?>(nil)
    server.onConnected = { opened in connection.withLock { $0 = opened } }
    server.onMessage = { _, _ in }
    try await withServer(server) { port, loop in
      let client = RawClient(upgradedAt: port)
      let opened = try #require(await eventually { connection.withLock { $0 } })
      if kind == "fragments" { client.send(RawClient.masked(1, [0x78], isLast: false)) }
      let piece =
        switch kind {
        case "pings": RawClient.masked(9, [])
        case "pongs": RawClient.masked(10, [])
        case "fragments": RawClient.masked(0, [], isLast: false)
        default: RawClient.masked(1, [0x78])
        }
      let pieces = Array(repeatElement(piece, count: 1_000).joined())
      // The client sends many more bytes than the burst limit, in the smallest frames. When the server stops reading,
      // the bytes fill the socket buffers.
      for _ in 0..<20 { client.send(pieces) }
      if kind == "messages" {
        _ = await eventually { server.seen.withLock { $0.messages.count == 20_000 ? true : nil } }
        loop.perform { opened.lookAtOverhead() }
        #expect(loop.perform { !opened.overhead.isResting })
      } else {
        let rests = await eventually {
          loop.perform {
            opened.lookAtOverhead()
            return opened.overhead.isResting ? true : nil
          }
        }
        #expect(rests == true)
        #expect(loop.perform { opened.heldBackAt > 0 }, "since when nothing is read")
        guard kind == "fragments" else { return }
        // Meanwhile the time of its unfinished message goes by more slowly.
        let isSlow = await eventually {
          loop.perform { () -> Bool? in
            guard let began = opened.messageBegan else { return nil }
            return opened.messageDue(began) > began + opened.options.messageWithinMilliseconds ? true : nil
          }
        }
        #expect(isSlow == true)
      }
    }
  }
}
