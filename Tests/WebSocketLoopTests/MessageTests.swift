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
      // A ping that comes before the last one was answered may go without an answer.
      var pongs: [UInt8] = []
      var texts: [String] = []
      while pongs.isEmpty || texts.isEmpty {
        let frame = try #require(client.readFrame())
        if frame.opcode == 10 { pongs += frame.payload } else { texts.append(frame.text) }
      }
      #expect(texts == ["naïve"])
      #expect(pongs.first == 0)
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

  @Test("A frame cut into fragments reads as one message, and its boundaries are found") func frameLayout() {
    for count in [0, 1, 125, 126, 16_383, 16_384, 16_385, 32_768, 50_000] {
      let payload = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
      let frame = Frame(binary: payload)
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
}
