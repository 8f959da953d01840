import Glibc
import Synchronization
import TestSupport
import Testing

@testable import WebSocketLoop

// A server sends valid and invalid bytes to a client in these tests, written directly to the socket and cut at
// arbitrary places.

/// The bytes of a frame, with the given faults.
private func wire(
  _ opcode: UInt8,
  _ payload: [UInt8] = [],
  isLast: Bool = true,
  reserved: UInt8 = 0,
  lengthBytes: Int? = nil,
  isMasked: Bool = false
) -> [UInt8] {
  let mask: UInt8 = isMasked ? 0x80 : 0
  var bytes = [opcode | reserved | (isLast ? 0x80 : 0)]
  switch lengthBytes ?? (payload.count < 126 ? 0 : payload.count < 65_536 ? 2 : 8) {
  case 0: bytes.append(mask | UInt8(payload.count))
  case 2: bytes += [mask | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
  default: bytes += [mask | 127] + (0..<8).map { UInt8(truncatingIfNeeded: payload.count >> (56 - $0 * 8)) }
  }
  if isMasked { bytes += [0, 0, 0, 0] }
  return bytes + payload
}

private func goodbye(_ code: UInt16) -> [UInt8] { wire(8, [UInt8(code >> 8), UInt8(code & 0xFF)]) }

/// A stream of messages of all sizes in frames of all sizes, with pings and pongs between frames.
private struct RandomStream {
  var bytes: [UInt8] = []
  var texts: [String] = []
  var kinds: [Bool] = []

  init(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<Int.random(in: 1...30, using: &generator) {
      let isText = Bool.random(using: &generator)
      let length = [0, 1, 5, 125, 126, 300, 4_096, 65_535, 65_536, 70_000].randomElement(using: &generator)!
      let letter = ["a", "ü", "→", "𝄞"].randomElement(using: &generator)!
      let text = String(repeating: letter, count: length / letter.utf8.count)
      texts.append(text)
      kinds.append(isText)
      var rest = Array(text.utf8)[...]
      var opcode: UInt8 = isText ? 1 : 2
      repeat {
        // A cut can fall inside a character's UTF-8 bytes.
        let cut = Bool.random(using: &generator) ? rest.count : Int.random(in: 0...rest.count, using: &generator)
        let payload = Array(rest.prefix(cut))
        rest = rest.dropFirst(cut)
        let isLast = rest.isEmpty && Bool.random(using: &generator)
        bytes += wire(opcode, payload, isLast: isLast)
        opcode = isLast ? 255 : 0
        if Int.random(in: 0..<4, using: &generator) == 0 {
          bytes += wire(Bool.random(using: &generator) ? 9 : 10, Array("still there".utf8))
        }
      } while opcode == 0
    }
  }
}

/// A server that can also write bytes directly to its socket, through a duplicate of the descriptor.
private final class RawServer: @unchecked Sendable {
  let server = TestServer()
  private let descriptor = Mutex<Int32>(-1)

  init() {
    server.onConnected = { [self] connection in descriptor.withLock { $0 = dup(connection.descriptor) } }
  }

  deinit { close(descriptor.withLock { $0 }) }

  func send(_ bytes: [UInt8], piece: () -> Int = { .max }) async throws {
    let descriptor = try #require(await eventually { self.descriptor.withLock { $0 >= 0 ? $0 : nil } })
    var sent = 0
    while sent < bytes.count {
      let count = min(bytes.count - sent, max(1, piece()))
      let taken = bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress! + sent, count, Int32(MSG_NOSIGNAL)) }
      if taken > 0 {
        sent += taken
      } else {
        try #require(errno == EAGAIN)
        var look = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&look, 1, 1_000)
      }
    }
  }
}

@Suite("Messages to a client") struct ClientReceivingTests {
  private func withClient(
    _ client: TestClient = TestClient(),
    options: WebSocketOptions = WebSocketOptions(),
    _ body: (RawServer, TestClient) async throws -> Void
  ) async throws {
    let raw = RawServer()
    try await withServer(raw.server) { port, loop in
      loop.perform { loop.connect(to: Endpoint(host: "127.0.0.1", port: port), options: options, handler: client) }
      try await body(raw, client)
    }
  }

  @Test(
    "Messages arrive whole and in order, however they are framed and sent",
    arguments: 1...12 as ClosedRange<UInt64>
  )
  func streams(seed: UInt64) async throws {
    let stream = RandomStream(seed: seed)
    try await withClient { raw, client in
      var generator = SeededGenerator(seed: seed &+ 1_000)
      let longest = [1_000, 20_000, 200_000].randomElement(using: &generator)!
      try await raw.send(stream.bytes + goodbye(4_321)) { Int.random(in: 1...longest, using: &generator) }
      #expect(await client.closure() == Closure(cause: .peer, code: 4_321))
      #expect(client.heard.withLock { $0.texts } == stream.texts)
      #expect(client.heard.withLock { $0.kinds } == stream.kinds)
    }
  }

  @Test("A byte at a time, with a ping inside a message") func bytewise() async throws {
    try await withClient { raw, client in
      let bytes =
        wire(1, [0xC3], isLast: false) + wire(9, [1, 2, 3]) + wire(0, [0xBC], isLast: false) + wire(0)
        + wire(2, [UInt8](repeating: 65, count: 130)) + wire(1) + goodbye(1_000)
      try await raw.send(bytes) { 1 }
      #expect(await client.closure() == Closure(cause: .peer, code: 1_000))
      #expect(client.heard.withLock { $0.texts } == ["ü", String(repeating: "A", count: 130), ""])
    }
  }

  @Test(
    "What a server may not send ends the connection, though the server isn't told",
    arguments: [
      wire(1, [65], reserved: 0x40), wire(3, [65]), wire(11, []),
      wire(2, lengthBytes: 8).prefix(2) + [UInt8](repeating: 255, count: 8),
      wire(9, [UInt8](repeating: 0, count: 126)), wire(9, isLast: false), wire(0, [65]),
      wire(1, [65], isLast: false) + wire(1, [66]),
    ]
  )
  func faults(bytes: [UInt8]) async throws {
    try await withClient { raw, client in
      try await raw.send(wire(1, [64]) + bytes + wire(1, [67]))
      #expect(await client.closure() == Closure(cause: .lost, code: 1_006))
      #expect(await raw.server.closure() == Closure(cause: .lost, code: 1_006))
      #expect(client.heard.withLock { $0.texts } == ["@"])
    }
  }

  @Test(
    "libwebsockets lets a server mask its frames, and write a length in more bytes than it needs",
    arguments: [wire(1, [65], isMasked: true), wire(1, [65], lengthBytes: 2), wire(1, [65], lengthBytes: 8)]
  )
  func laxness(bytes: [UInt8]) async throws {
    try await withClient { raw, client in
      try await raw.send(wire(1, [64]) + bytes + wire(1, [67]) + goodbye(1_000))
      #expect(await client.closure() == Closure(cause: .peer, code: 1_000))
      #expect(client.heard.withLock { $0.texts } == ["@", "A", "C"])
    }
  }

  @Test("A message too long is refused before it has come, whole or in parts", arguments: [true, false])
  func tooLong(isWhole: Bool) async throws {
    try await withClient(options: WebSocketOptions { $0.messageBytesMax = 1_000 }) { raw, client in
      let long = [UInt8](repeating: 65, count: 100_000)
      let parts = wire(2, Array(long[..<600]), isLast: false) + wire(0, Array(long[600...]))
      // The frame is incomplete: it announces 30,000 bytes more than are sent. The sent part exceeds the 64 KB that
      // libwebsockets buffers before it reports anything.
      try await raw.send(wire(2, Array(long[..<1_000])) + (isWhole ? wire(2, long) : parts).dropLast(30_000))
      #expect(await client.closure()?.code == 1_009)
      #expect(await raw.server.closure()?.code == 1_009)
      #expect(client.heard.withLock { $0.texts.map(\.utf8.count) } == [1_000])
    }
  }

  @Test("Text that is not UTF-8 ends the connection with 1007 as soon as that is known")
  func notText() async throws {
    try await withClient { raw, client in
      try await raw.send(wire(1, [0xC3], isLast: false) + wire(0, [0x28], isLast: false))
      #expect(await client.closure()?.code == 1_007)
      #expect(await raw.server.closure()?.code == 1_007)
    }
  }

  @Test("A handler that stops reading gets nothing until it resumes, and then everything in order", arguments: 1...8)
  func pausing(cut: Int) async throws {
    let client = TestClient()
    let paused = Mutex<Connection?>(nil)
    client.onMessage = { connection, message in
      guard message.bytes.count == 2 else { return }
      connection.pauseReading()
      paused.withLock { $0 = connection }
    }
    try await withClient(client) { raw, client in
      var bytes = wire(1, [65]) + wire(1, [66, 66]) + wire(9, [1]) + wire(1, [67], isLast: false)
      bytes += wire(0, [68, 68]) + wire(2, [UInt8](repeating: 69, count: 100_000)) + wire(1, [70, 70]) + wire(1, [71])
      // The bytes are sent at once, or in pieces that end inside messages.
      try await raw.send(bytes) { cut == 1 ? .max : cut * 3 }
      let later: [UInt8] = wire(1, [72]) + goodbye(1_000)
      for heard in [2, 5] {
        let connection = try #require(await eventually { paused.withLock { $0 } })
        try await Task.sleep(for: .milliseconds(30))
        #expect(client.heard.withLock { $0.texts.count } == heard)
        if heard == 5 { try await raw.send(later) }
        paused.withLock { $0 = nil }
        connection.loop.perform { connection.resumeReading() }
      }
      #expect(await client.closure() == Closure(cause: .peer, code: 1_000))
      let texts = ["A", "BB", "CDD", String(repeating: "E", count: 100_000), "FF", "G", "H"]
      #expect(client.heard.withLock { $0.texts } == texts)
    }
  }

  @Test("Nothing is heard behind a goodbye, theirs or ours", arguments: [true, false])
  func behindGoodbye(isTheirs: Bool) async throws {
    let client = TestClient()
    client.onMessage = { connection, _ in if !isTheirs { connection.close(code: 4_000) } }
    try await withClient(client) { raw, client in
      try await raw.send(wire(1, [65]) + (isTheirs ? goodbye(4_000) : []) + wire(1, [66]) + wire(1, [67]))
      #expect(await client.closure() == Closure(cause: isTheirs ? .peer : .ours, code: 4_000))
      #expect(client.heard.withLock { $0.texts } == ["A"])
    }
  }

  @Test("Nothing is heard after an abort in the middle of what came") func aborting() async throws {
    let client = TestClient()
    client.onMessage = { connection, _ in connection.abort() }
    try await withClient(client) { raw, client in
      try await raw.send(wire(1, [65]) + wire(1, [66]))
      #expect(await client.closure()?.cause == .lost)
      #expect(client.heard.withLock { $0.texts } == ["A"])
    }
  }
}
