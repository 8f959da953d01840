internal import CWebSockets
import Glibc

/// Why a request failed.
public enum HTTPRequestError: Error, Equatable, Sendable {
  case badHost(String)
  case notConnected(errno: Int32)
  /// The server's certificate is for another host, or from an issuer that this machine doesn't trust.
  case notTrusted(String)
  /// The TLS handshake has failed for another reason than the certificate.
  case notSecure(String)
  /// The server has got at least the beginning of the request, and doesn't go on.
  case tookTooLong
  case malformed(String)
  case tooLarge
}

extension EventLoop {
  /// Sends an HTTP request over a connection of its own. `completion` is called later, on the loop's thread, with the
  /// answer or with the reason why there is none. To be called on the loop's thread only.
  /// - Parameter silentMilliseconds: how long the server may neither take nor send a byte. A large answer over a slow line
  ///   may take longer than that.
  public func request(
    _ method: String,
    _ endpoint: Endpoint,
    headers: [(name: String, value: String)] = [],
    body: [UInt8] = [],
    bodyBytesMax: Int = 64 << 20,
    silentMilliseconds: UInt64 = 30_000,
    _ completion: @escaping (Result<Response, HTTPRequestError>) -> Void
  ) {
    assertCurrent()
    var bytes = Array(
      "\(method) \(endpoint.path)\(endpoint.query.isEmpty ? "" : "?\(endpoint.query)") HTTP/1.1\r\n".utf8
    )
    appendHeaderLine("Host", endpoint.authority, to: &bytes)
    for (name, value) in headers { appendHeaderLine(name, value, to: &bytes) }
    if !body.isEmpty || method == "POST" { appendHeaderLine("Content-Length", String(body.count), to: &bytes) }
    appendHeaderLine("Connection", "close", to: &bytes)
    bytes += [0x0D, 0x0A]
    bytes += body
    let request = HTTPRequest(
      loop: self,
      endpoint,
      bytes,
      isHead: method == "HEAD",
      bodyBytesMax: bodyBytesMax,
      silentMilliseconds: silentMilliseconds,
      completion: completion
    )
    request.start()
  }
}

/// One request of a client, and its answer.
private final class HTTPRequest: SocketWatcher, LoopResident {
  private let loop: EventLoop
  private let endpoint: Endpoint
  private let isHead: Bool
  private let bodyBytesMax: Int
  private let silentMilliseconds: UInt64
  private let output: [UInt8]
  private var completion: ((Result<Response, HTTPRequestError>) -> Void)?
  private var socket: ClientSocket?
  private var watch: SocketWatch?
  private var timer: LoopTimer?
  private var sent = 0
  private var received: [UInt8] = []
  private var parser = HeadParser(bytesMax: 65_536, headersMax: 200)
  /// How many responses with a status below 200 have come.
  private var interimCount = 0
  private static let interimMax = 100
  private var answer: (response: Response, reader: BodyReader)?

  init(
    loop: EventLoop,
    _ endpoint: Endpoint,
    _ output: [UInt8],
    isHead: Bool,
    bodyBytesMax: Int,
    silentMilliseconds: UInt64,
    completion: @escaping (Result<Response, HTTPRequestError>) -> Void
  ) {
    self.loop = loop
    self.endpoint = endpoint
    self.output = output
    self.isHead = isHead
    self.bodyBytesMax = bodyBytesMax
    self.silentMilliseconds = silentMilliseconds
    self.completion = completion
  }

  func start() {
    loop.residents[ObjectIdentifier(self)] = self
    startTimer()
    loop.guest(HostLookups.self)?.lookUp(endpoint) { [weak self] found in
      guard let self, completion != nil else { return }
      timer?.cancel()
      HostConnecting(loop: loop, found, silentMilliseconds: silentMilliseconds) { [weak self] in self?.connected($0) }
        .start(orElse: .badHost(endpoint.host))
    }
  }

  private func startTimer() {
    timer = LoopTimer(loop: loop, repeats: true) { [unowned self] in
      finish(.failure(sent == 0 ? .notConnected(errno: ETIMEDOUT) : .tookTooLong))
    }
    timer?.start(afterMilliseconds: silentMilliseconds)
  }

  func loopStops() { finish(.failure(.tookTooLong)) }

  private func connected(_ result: Result<HostConnecting.Reached, HTTPRequestError>) {
    guard completion != nil else { return }
    do throws(HTTPRequestError) {
      let socket = try result.get().socket
      self.socket = socket
      startTimer()
      watch = SocketWatch(loop: loop, descriptor: socket.descriptor, watcher: self)
      guard let watch else { throw .notConnected(errno: ENOSPC) }
      if endpoint.isSecure { try socket.secure(loop.guest(TLSTrust.self), host: endpoint.host) }
      watch.want(readable: true, writable: true)
    } catch {
      finish(.failure(error))
    }
  }

  func socketIsReady(readable: Bool, writable: Bool) {
    guard let socket else { return }
    var wantsToWrite = send(socket)
    if completion != nil, readable { receive(socket) }
    // Receiving may have ended TLS's handshake, for which sending has waited. Nothing else would wake this object then.
    if completion != nil, readable, sent < output.count { wantsToWrite = send(socket) }
    if completion != nil { watch?.want(readable: true, writable: wantsToWrite) }
  }

  // MARK: Sending and receiving

  /// Sends as much as the socket takes. Returns whether the caller has to wait until the socket is writable.
  private func send(_ socket: ClientSocket) -> Bool {
    while sent < output.count {
      let transfer = output.withUnsafeBytes { socket.send(UnsafeRawBufferPointer(rebasing: $0[sent...])) }
      switch transfer {
      case .bytes(let count):
        sent += count
        timer?.start(afterMilliseconds: silentMilliseconds)
      case .waits(let forWriting): return forWriting
      case .failed(let error):
        if sent == 0, endpoint.isSecure {
          finish(.failure(error))
          return false
        }
        fallthrough
      case .ended:
        // The server might have answered and closed the connection before it read the whole request. Such an answer is
        // valid, so nothing more is sent, and the answer is read.
        sent = output.count
      }
    }
    return false
  }

  private func receive(_ socket: ClientSocket) {
    repeat {
      let transfer = withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { room in
        let transfer = socket.receive(room)
        if case .bytes(let count) = transfer { received += UnsafeRawBufferPointer(rebasing: room[..<count]) }
        return transfer
      }
      do throws(HTTPFault) {
        switch transfer {
        case .bytes:
          timer?.start(afterMilliseconds: silentMilliseconds)
          try process(isEnd: false)
        case .waits: return
        case .ended: try process(isEnd: true)
        case .failed(let error): finish(.failure(error))
        }
      } catch {
        finish(.failure(error.status == 413 ? .tooLarge : .malformed(error.message)))
      }
    } while completion != nil && socket.holdsBytes
  }

  private func process(isEnd: Bool) throws(HTTPFault) {
    while answer == nil, let head = try parser.take(&received) {
      let response = try Self.response(head)
      // A response with a status below 200, such as 100 Continue, comes before the actual answer and is skipped.
      guard response.status >= 200 else {
        interimCount += 1
        guard interimCount <= Self.interimMax else { throw .malformed("there is no answer after many heads") }
        continue
      }
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
    let request = Request(path: "/", headers: response.headers)
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
    socket = nil
    loop.residents[ObjectIdentifier(self)] = nil
    completion(result)
  }
}
