import Synchronization
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

  @Test(
    "Messages of many lengths come back whole",
    arguments: [1, 125, 126, 4_095, 4_096, 4_097, 16_384, 65_535, 65_536, 900_000]
  )
  func lengths(count: Int) async throws {
    try await withServer { port, _ in
      let client = RawClient(port: port)
      client.upgrade()
      let payload = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
      client.send(RawClient.masked(2, payload))
      #expect(client.readMessage() == payload)
    }
  }

  @Test("Fragments of one byte, sent a byte at a time, with pings between, make one message") func fragments()
    async throws
  {
    try await withServer { port, _ in
      let client = RawClient(port: port)
      client.upgrade()
      let letters = Array("naïve".utf8)
      var stream: [UInt8] = []
      for (index, letter) in letters.enumerated() {
        stream += RawClient.masked(index == 0 ? 1 : 0, [letter], isLast: index == letters.count - 1)
        stream += RawClient.masked(9, [UInt8(index)])
      }
      for byte in stream { client.send([byte]) }
      // Of those that come at once libwebsockets answers the first.
      var pongs: [UInt8] = []
      var texts: [String] = []
      while pongs.isEmpty || texts.isEmpty {
        let frame = try #require(client.readFrame())
        if frame.opcode == 10 { pongs += frame.payload } else { texts.append(frame.text) }
      }
      #expect(texts == ["naïve"])
      #expect(pongs == Array(Set(pongs)).sorted())
    }
  }

  @Test("Empty fragments are part of a message") func emptyFragments() async throws {
    try await withServer { port, _ in
      let client = RawClient(port: port)
      client.upgrade()
      client.send(RawClient.masked(1, [], isLast: false) + RawClient.masked(0, [], isLast: false))
      client.send(RawClient.masked(0, [0x61], isLast: false) + RawClient.masked(0, []))
      #expect(client.readMessage() == [0x61])
    }
  }

  @Test("A message longer than the bound closes with 1009 before it has come") func tooLarge() async throws {
    var options = ListenOptions()
    options.webSocket.messageBytesMax = 1_000
    let server = TestServer()
    try await withServer(server, options: options) { port, _ in
      let client = RawClient(port: port)
      client.upgrade()
      // Announces far more than it sends.
      client.send(Array(RawClient.masked(2, [UInt8](repeating: 1, count: 100_000)).prefix(500)))
      #expect(client.readFrame()?.closeCode == 1009)
      client.send(RawClient.masked(8, [0x03, 0xF1]))
      #expect(client.hasEnded)
      #expect(await server.closure()?.code == 1009)
      #expect(server.seen.withLock { $0.messages.isEmpty })
    }
  }

  @Test("Fragments that add up to more than the bound close with 1009") func tooLargeInFragments() async throws {
    var options = ListenOptions()
    options.webSocket.messageBytesMax = 1_000
    try await withServer(options: options) { port, _ in
      let client = RawClient(port: port)
      client.upgrade()
      client.send(RawClient.masked(2, [UInt8](repeating: 1, count: 600), isLast: false))
      client.send(RawClient.masked(0, [UInt8](repeating: 1, count: 400), isLast: true))
      #expect(client.readMessage()?.count == 1_000)
      client.send(RawClient.masked(2, [UInt8](repeating: 1, count: 600), isLast: false))
      client.send(RawClient.masked(0, [UInt8](repeating: 1, count: 401), isLast: true))
      #expect(client.readFrame()?.closeCode == 1009)
    }
  }

  @Test("A length near 2^63 closes with 1009 and does no harm") func hugeLength() async throws {
    try await withServer { port, _ in
      let client = RawClient(port: port)
      client.upgrade()
      client.send(
        [0x82, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1, 2, 3, 4] + [UInt8](repeating: 0, count: 5_000)
      )
      #expect(client.readFrame()?.closeCode == 1009)
    }
  }

  @Test(
    "Text that isn't UTF-8 closes with 1007",
    arguments: [
      [0xC3], [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0x61, 0x80],
    ] as [[UInt8]]
  )
  func notUTF8(bytes: [UInt8]) async throws {
    let server = TestServer()
    try await withServer(server) { port, _ in
      let client = RawClient(port: port)
      client.upgrade()
      client.send(RawClient.masked(1, bytes))
      #expect(client.readFrame()?.closeCode == 1007)
      #expect(server.seen.withLock { $0.messages.isEmpty })
    }
  }

  @Test("A character cut in two by a fragment's end is whole again") func utf8AcrossFragments() async throws {
    try await withServer { port, _ in
      let client = RawClient(port: port)
      client.upgrade()
      client.send(RawClient.masked(1, [0xE2, 0x82], isLast: false) + RawClient.masked(0, [0xAC]))
      #expect(client.readMessage() == Array("€".utf8))
    }
  }

  @Test(
    "What the protocol forbids closes with 1002 or ends the connection",
    arguments: [
      RawClient.masked(3, []), RawClient.masked(11, []), RawClient.masked(0, [1]),
      RawClient.masked(9, [], isLast: false),
      RawClient.masked(1, [0x61], reserved: 0x40), RawClient.masked(1, [0x61], reserved: 0x10),
      RawClient.masked(1, [0x61], isLast: false) + RawClient.masked(1, [0x61]),
      RawClient.masked(9, [UInt8](repeating: 0, count: 126)),
    ]
  )
  func violations(bytes: [UInt8]) async throws {
    let server = TestServer()
    try await withServer(server) { port, _ in
      let client = RawClient(port: port)
      client.upgrade()
      client.send(bytes)
      let frame = client.readFrame()
      #expect(frame == nil || frame?.closeCode == 1002)
      if frame != nil { client.send(RawClient.masked(8, [0x03, 0xEA])) }
      #expect(await server.closure() != nil)
      #expect(server.seen.withLock { $0.messages.isEmpty })
    }
  }

  @Test(
    "libwebsockets lets a client send frames that aren't masked, and lengths in more bytes than they need",
    arguments: [
      [0x81, 0x01, 0x61], [0x81, 0xFE, 0, 1, 0, 0, 0, 0, 0x61], [0x81, 0xFF, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0x61],
      [0x8A, 0x00, 0x81, 0x01, 0x61],
    ] as [[UInt8]],
    [false, true]
  )
  func laxness(bytes: [UInt8], compresses: Bool) async throws {
    var options = ListenOptions()
    options.webSocket.compresses = compresses
    for isDribbled in [false, true] {
      try await withServer(options: options) { port, _ in
        let client = RawClient(port: port)
        client.upgrade()
        if isDribbled { for byte in bytes { client.send([byte]) } } else { client.send(bytes) }
        #expect(client.readMessage() == [0x61])
        client.sendText("goes on")
        #expect(client.readMessage() == Array("goes on".utf8))
      }
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
      let client = RawClient(port: port)
      client.upgrade()
      client.send(RawClient.masked(8, payload))
      #expect(client.readFrame() == .init(opcode: 8, isLast: true, payload: payload))
      #expect(client.hasEnded)
      #expect(await server.closure() == Closure(cause: .peer, code: code, reason: reason))
    }
  }

  @Test("Of a burst of pings the first is answered, whatever becomes of the others", arguments: [1, 2, 3_000])
  func pings(count: Int) async throws {
    try await withServer(TestServer()) { port, _ in
      let client = RawClient(port: port)
      client.upgrade()
      client.send((0..<count).flatMap { RawClient.masked(9, Array("\($0)".utf8)) })
      client.sendText("the end")
      var answered: [Int] = []
      while let frame = client.readFrame(), frame.opcode == 10 { answered.append(try #require(Int(frame.text))) }
      // The text may come back before the last answer.
      client.send(RawClient.masked(8, [0x03, 0xE8]))
      while let frame = client.readFrame(), frame.opcode == 10 { answered.append(try #require(Int(frame.text))) }
      #expect(answered.first == 0)
      #expect(answered == Array(Set(answered)).sorted())
    }
  }

  @Test("Text that can't become UTF-8 is known as soon as its byte has come, and what can is not", arguments: 1...4)
  func utf8SoFar(size: Int) {
    // Every character that has so many bytes and is first or last of its kind, and one bit of it changed.
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
            // By trying all that might come after.
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
      let client = RawClient(port: port)
      client.upgrade()
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
      // More than may come at once, as small as it can be. A peer that rests takes no more than its buffers hold.
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
      }
    }
  }
}
