internal import CWebSockets
import Glibc

/// Why a request of ours came to nothing.
public enum HTTPRequestError: Error, Equatable, Sendable {
  case badHost(String)
  case notConnected(errno: Int32)
  case tookTooLong
  case malformed(String)
  case tooLarge
}

extension EventLoop {
  /// Sends an HTTP request over a connection of its own, and hands over the answer or why there is none, on the loop's
  /// thread in a later turn. On the loop's thread only.
  public func request(
    _ method: String,
    _ endpoint: Endpoint,
    headers: [(name: String, value: String)] = [],
    body: [UInt8] = [],
    bodyBytesMax: Int = 64 << 20,
    withinMilliseconds: UInt64 = 30_000,
    _ completion: @escaping (Result<Response, HTTPRequestError>) -> Void
  ) {
    assertCurrent()
    let request = HTTPRequest(
      loop: self,
      isHead: method == "HEAD",
      bodyBytesMax: bodyBytesMax,
      completion: completion
    )
    var bytes = Array(
      "\(method) \(endpoint.path)\(endpoint.query.isEmpty ? "" : "?\(endpoint.query)") HTTP/1.1\r\n".utf8
    )
    appendHeaderLine("Host", endpoint.authority, to: &bytes)
    for (name, value) in headers { appendHeaderLine(name, value, to: &bytes) }
    if !body.isEmpty || method == "POST" { appendHeaderLine("Content-Length", String(body.count), to: &bytes) }
    appendHeaderLine("Connection", "close", to: &bytes)
    bytes += [0x0D, 0x0A]
    bytes += body
    request.start(endpoint, bytes, withinMilliseconds: withinMilliseconds)
  }
}

/// One request of ours and its answer.
private final class HTTPRequest: SocketWatcher, LoopResident {
  private let loop: EventLoop
  private let isHead: Bool
  private let bodyBytesMax: Int
  private var completion: ((Result<Response, HTTPRequestError>) -> Void)?
  private var descriptor: Int32 = -1
  private var watch: SocketWatch?
  private var timer: LoopTimer?
  private var output: [UInt8] = []
  private var sent = 0
  private var received: [UInt8] = []
  private var parser = HeadParser(bytesMax: 65_536, headersMax: 200)
  private var answer: (response: Response, reader: BodyReader)?

  init(
    loop: EventLoop,
    isHead: Bool,
    bodyBytesMax: Int,
    completion: @escaping (Result<Response, HTTPRequestError>) -> Void
  ) {
    self.loop = loop
    self.isHead = isHead
    self.bodyBytesMax = bodyBytesMax
    self.completion = completion
  }

  func start(_ endpoint: Endpoint, _ bytes: [UInt8], withinMilliseconds: UInt64) {
    loop.residents[ObjectIdentifier(self)] = self
    output = bytes
    // Within a later turn, so that the caller never hears of it before the call has returned.
    timer = LoopTimer(loop: loop, repeats: true) { [unowned self] in finish(.failure(.tookTooLong)) }
    timer?.start(afterMilliseconds: withinMilliseconds)
    guard let address = SocketAddress.resolve(host: endpoint.host, port: endpoint.port, isPassive: false).first else {
      failLater(.badHost(endpoint.host))
      return
    }
    descriptor = socket(
      address.family,
      Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue),
      0
    )
    guard descriptor >= 0 else {
      failLater(.notConnected(errno: errno))
      return
    }
    if address.withStorage({ connect(descriptor, $0, $1) }) != 0, errno != EINPROGRESS {
      failLater(.notConnected(errno: errno))
      return
    }
    watch = SocketWatch(loop: loop, descriptor: descriptor, watcher: self)
    watch?.want(readable: false, writable: true)
  }

  func loopStops() { finish(.failure(.tookTooLong)) }

  private func failLater(_ error: HTTPRequestError) {
    loop.schedule(afterMilliseconds: 0) { [self] in finish(.failure(error)) }
  }

  func socketIsReady(readable: Bool, writable: Bool) {
    if writable, sent < output.count { send() }
    if readable, completion != nil { read() }
  }

  private func send() {
    var failure: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &failure, &size)
    guard failure == 0 else {
      finish(.failure(.notConnected(errno: failure)))
      return
    }
    let count = output.withUnsafeBytes { bytes in
      Glibc.send(
        descriptor,
        bytes.baseAddress! + sent,
        bytes.count - sent,
        Int32(MSG_DONTWAIT | MSG_NOSIGNAL)
      )
    }
    if count < 0 {
      if errno == EAGAIN || errno == EINTR { return }
      // The server may have answered and closed before it read everything: the answer counts.
      sent = output.count
    } else {
      sent += count
    }
    watch?.want(readable: true, writable: sent < output.count)
  }

  private func read() {
    let count = withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { room in
      let count = recv(descriptor, room.baseAddress, room.count, Int32(MSG_DONTWAIT))
      if count > 0 { received += UnsafeRawBufferPointer(rebasing: room[..<count]) }
      return count
    }
    if count < 0, errno == EAGAIN || errno == EINTR { return }
    do throws(HTTPFault) {
      try process(isEnd: count <= 0)
    } catch {
      finish(.failure(error.status == 413 ? .tooLarge : .malformed(error.message)))
    }
  }

  private func process(isEnd: Bool) throws(HTTPFault) {
    while answer == nil, let head = try parser.parse(received) {
      received.removeFirst(head.byteCount)
      let response = try Self.response(head)
      // 100 Continue and its like come before the answer.
      guard response.status >= 200 else { continue }
      answer = (response, try BodyReader(try bodyLength(of: response), bytesMax: bodyBytesMax))
    }
    try answer?.reader.take(&received)
    if let answer, answer.reader.isComplete || (isEnd && answer.reader.isCompleteAtEnd) {
      var response = answer.response
      response.body = answer.reader.body
      finish(.success(response))
    } else if isEnd {
      finish(.failure(.malformed("the answer breaks off")))
    }
  }

  private static func response(_ head: HeadParser.Head) throws(HTTPFault) -> Response {
    let words = head.firstLine.split(separator: UInt8(ascii: " "), maxSplits: 2, omittingEmptySubsequences: false)
    guard words.count >= 2, words[0].starts(with: "HTTP/1.".utf8), words[1].count == 3,
      let status = Int(String(decoding: words[1], as: UTF8.self)), status >= 100
    else { throw .malformed("the status line is malformed") }
    return Response(status: status, headers: head.headers)
  }

  private func bodyLength(of response: Response) throws(HTTPFault) -> BodyLength {
    guard !isHead, response.mayHaveBody else { return .bytes(0) }
    var request = Request(path: "/", headers: response.headers)
    request.isVersion11 = true
    let hasLength = response.headers.contains { $0.name == "content-length" || $0.name == "transfer-encoding" }
    return hasLength ? try request.bodyLength() : .untilEnd
  }

  private func finish(_ result: Result<Response, HTTPRequestError>) {
    guard let completion else { return }
    self.completion = nil
    watch?.close()
    watch = nil
    timer?.cancel()
    timer = nil
    if descriptor >= 0 { close(descriptor) }
    loop.residents[ObjectIdentifier(self)] = nil
    completion(result)
  }
}
