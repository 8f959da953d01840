import Glibc

/// A client on a plain socket, so that tests can send any bytes. A read fails after ten seconds of silence.
final class RawClient {
  let descriptor: Int32
  private var buffer: [UInt8] = []

  init(port: Int, receiveBufferBytes: Int32? = nil) {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    if var size = receiveBufferBytes {
      setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    }
    var limit = timeval(tv_sec: 10, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var on: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(UInt16(port).bigEndian)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let failure = withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    precondition(failure == 0, "nobody listens")
  }

  convenience init(port: Int, sending text: String) {
    self.init(port: port)
    send(text)
  }

  /// A WebSocket.
  convenience init(upgradedAt port: Int, receiveBufferBytes: Int32? = nil) {
    self.init(port: port, receiveBufferBytes: receiveBufferBytes)
    upgrade()
  }

  deinit { close(descriptor) }

  /// Closes the sending direction only.
  func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

  func send(_ text: String) { send(Array(text.utf8)) }

  func send(_ bytes: [UInt8]) {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return }
      sent += count
    }
  }

  /// The received bytes. `nil` at the end of the connection, or after ten seconds of silence.
  private func receive() -> [UInt8]? {
    var room = [UInt8](repeating: 0, count: 65_536)
    let count = recv(descriptor, &room, room.count, 0)
    return count > 0 ? Array(room[..<count]) : nil
  }

  func read(_ count: Int) -> [UInt8]? {
    while buffer.count < count {
      guard let more = receive() else { return nil }
      buffer += more
    }
    defer { buffer.removeFirst(count) }
    return Array(buffer[..<count])
  }

  func read(through end: String) -> String? {
    let end = Array(end.utf8)
    while true {
      if let place = (0..<max(0, buffer.count - end.count + 1)).first(where: {
        buffer[$0..<($0 + end.count)].elementsEqual(end)
      }) {
        defer { buffer.removeFirst(place + end.count) }
        return String(decoding: buffer[..<(place + end.count)], as: UTF8.self)
      }
      guard let more = receive() else { return nil }
      buffer += more
    }
  }

  /// All bytes up to the end of the connection.
  func readToEnd() -> [UInt8] {
    while let more = receive() { buffer += more }
    defer { buffer = [] }
    return buffer
  }

  /// Whether any byte arrives within this time. The byte stays unread.
  func hasSomething(withinMilliseconds milliseconds: Int32) -> Bool {
    var look = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&look, 1, milliseconds) == 1
  }

  /// Whether the connection has ended. A silent connection is still open.
  var hasEnded: Bool {
    var byte: UInt8 = 0
    return recv(descriptor, &byte, 1, 0) == 0 || errno == ECONNRESET
  }

  // MARK: HTTP

  struct Answer {
    var status: Int
    var head: String
    var body: String
  }

  /// Reads a response, whose head gives the length of the body.
  func readAnswer(hasBody: Bool = true) -> Answer? {
    guard let head = read(through: "\r\n\r\n") else { return nil }
    let status = Int(head.split(separator: " ")[1])!
    let length = head.split(separator: "\r\n").first { $0.hasPrefix("Content-Length: ") }.map { Int($0.dropFirst(16))! }
    let body = hasBody ? read(length ?? 0) : []
    return body.map { Answer(status: status, head: head, body: String(decoding: $0, as: UTF8.self)) }
  }

  // MARK: WebSocket

  struct Frame: Equatable {
    var opcode: UInt8
    var isLast: Bool
    var payload: [UInt8]

    var text: String { String(decoding: payload, as: UTF8.self) }
    var closeCode: Int? { opcode == 8 && payload.count >= 2 ? Int(payload[0]) << 8 | Int(payload[1]) : nil }
  }

  static let handshakeHeaders =
    "Host: localhost\r\nUpgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n"
    + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"

  /// Sends the upgrade request, and returns the head of the response.
  @discardableResult
  func upgrade(path: String = "/ws", extra: String = "") -> String? {
    send("GET \(path) HTTP/1.1\r\n\(Self.handshakeHeaders)\(extra)\r\n")
    return read(through: "\r\n\r\n")
  }

  static func masked(_ opcode: UInt8, _ payload: [UInt8], isLast: Bool = true, reserved: UInt8 = 0) -> [UInt8] {
    var bytes: [UInt8] = [opcode | (isLast ? 0x80 : 0) | reserved]
    if payload.count < 126 {
      bytes.append(0x80 | UInt8(payload.count))
    } else if payload.count < 65_536 {
      bytes += [0x80 | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
    } else {
      bytes.append(0x80 | 127)
      for shift in stride(from: 56, through: 0, by: -8) {
        bytes.append(UInt8(truncatingIfNeeded: payload.count >> shift))
      }
    }
    let mask: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]
    bytes += mask
    bytes += payload.enumerated().map { $1 ^ mask[$0 & 3] }
    return bytes
  }

  func sendText(_ text: String) { send(Self.masked(1, Array(text.utf8))) }

  func readFrame() -> Frame? {
    guard let head = read(2) else { return nil }
    var count = Int(head[1] & 0x7F)
    if count == 126 {
      guard let more = read(2) else { return nil }
      count = Int(more[0]) << 8 | Int(more[1])
    } else if count == 127 {
      guard let more = read(8) else { return nil }
      count = more.reduce(0) { $0 << 8 | Int($1) }
    }
    guard let payload = read(count) else { return nil }
    return Frame(opcode: head[0] & 0x0F, isLast: head[0] & 0x80 != 0, payload: payload)
  }

  /// The next whole message. Pings are skipped.
  func readMessage() -> [UInt8]? {
    var message: [UInt8] = []
    while let frame = readFrame() {
      if frame.opcode >= 8 { continue }
      message += frame.payload
      if frame.isLast { return message }
    }
    return nil
  }
}

/// A port on which the kernel accepts connections into its queue, but no program reads from them or writes to them.
func silentListener() -> (port: Int, descriptor: Int32) {
  let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
  var size = socklen_t(MemoryLayout<sockaddr_in>.size)
  withUnsafeMutablePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      _ = bind(descriptor, $0, size)
      _ = listen(descriptor, 8)
      _ = getsockname(descriptor, $0, &size)
    }
  }
  return (Int(UInt16(bigEndian: address.sin_port)), descriptor)
}

func closeDescriptor(_ descriptor: Int32) { close(descriptor) }
