internal import CWebSockets
import Glibc

/// An HTTP/1.1 connection: requests one after the other, until one of them is upgraded.
///
/// This module parses requests itself (docs/decisions/0010-http-by-hand.md). When an upgrade is granted, libwebsockets
/// gets the socket and the handshake. It never gets any other byte of a request.
///
/// While an answer is awaited nothing is read, so pipelined requests wait in the kernel's socket buffers. A connection
/// reads and delivers one request in each iteration of the loop. Addresses are served round-robin.
final class HTTPConnection: SocketWatcher, LoopResident, TurnTaker {
  private enum State {
    case readingHead(isBegun: Bool)
    case readingBody(Request, BodyReader)
    case waiting(PendingRequest)
    case writing(thenClose: Bool)
    /// The whole answer was sent. The connection is read until the client closes it too. If it were closed with unread
    /// bytes, the kernel would drop the part of the answer that the client has not received yet.
    case lingering
    case ended

    var isAnswering: Bool {
      switch self {
      case .waiting, .writing: true
      case .readingHead, .readingBody, .lingering, .ended: false
      }
    }
  }

  static let readBytesMax = 65_536
  private static let lingerMilliseconds: UInt64 = 2_000

  let loop: EventLoop
  private let listener: Listener
  private let descriptor: Int32
  private let peer: String
  private var watch: SocketWatch!
  private var timer: LoopTimer?
  private var state = State.readingHead(isBegun: false) {
    didSet { isAnswering = state.isAnswering }
  }
  private var isAnswering = false {
    didSet { loop.counts.requests += (isAnswering ? 1 : 0) - (oldValue ? 1 : 0) }
  }
  private var parser: HeadParser
  private var received: [UInt8] = []
  private var outgoing = Outgoing()
  private var bodyBegan: UInt64 = 0
  private var isQueuedUp = false
  /// Whether the received bytes are only a part of a request.
  private var needsMore = true
  /// Whom this connection is charged to: the peer's address, or the client's address if a trusted proxy sends it with
  /// the request.
  private(set) var party: String
  /// How many bytes this connection takes of its address's share in the memory for delivered bodies (`HeldShares`).
  private var deliveredBytes = 0 {
    didSet { listener.delivered.giveBack(oldValue, of: party) }
  }
  /// The number of this connection on the listener's list of connections that wait for their clients. `nil` if it isn't
  /// on the list.
  private var wait: UInt64?
  /// How many bytes this connection holds, either of a body that arrives or of an answer that is sent.
  private var heldBytes = 0 {
    didSet {
      listener.heldBytes += heldBytes - oldValue
      if let wait { listener.waitHolds(wait, bytes: heldBytes) }
    }
  }

  private var options: HTTPOptions { listener.options.http }

  init(listener: Listener, descriptor: Int32, peer: String) {
    self.listener = listener
    self.descriptor = descriptor
    self.peer = peer
    party = NetworkAddress.party(of: peer)
    loop = listener.loop
    parser = HeadParser(bytesMax: listener.options.http.headBytesMax, headersMax: listener.options.http.headersMax)
  }

  func start() {
    loop.residents[ObjectIdentifier(self)] = self
    loop.counts.httpConnections += 1
    listener.httpConnectionCame(from: peer)
    watch = SocketWatch(loop: loop, descriptor: descriptor, watcher: self)
    guard watch != nil else { return end() }
    waitsForClient()
    timer = LoopTimer(loop: loop, repeats: true) { [unowned self] in timePassed() }
    timer?.start(afterMilliseconds: options.headWithinMilliseconds)
    watch.want(readable: true, writable: false)
  }

  func loopStops() { end() }

  // MARK: Reading

  func socketIsReady(readable: Bool, writable: Bool) {
    if writable { flush() }
    if readable { queueUp() }
  }

  private func queueUp() {
    guard !isQueuedUp else { return }
    isQueuedUp = true
    loop.queueUp(self)
  }

  func takeTurn() {
    isQueuedUp = false
    if received.isEmpty || needsMore { read() }
    process()
  }

  func socketHungUp() {
    // Stops watching the socket, because the loop would report the closed socket in every iteration.
    watch.want(readable: false, writable: false)
    guard case .waiting(let pending) = state else { return }
    var byte: UInt8 = 0
    // If the client has sent another request, it has closed only its own direction, and waits for the answers.
    // Otherwise it counts as gone.
    if !received.isEmpty || recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) > 0 { return }
    pending.noteGone()
  }

  private func read() {
    switch state {
    case .waiting, .writing, .ended: return
    case .readingHead, .readingBody, .lingering: break
    }
    let count = withUnsafeTemporaryAllocation(byteCount: Self.readBytesMax, alignment: 1) { room in
      let count = recv(descriptor, room.baseAddress, room.count, Int32(MSG_DONTWAIT))
      if case .lingering = state { return count }
      if count > 0 { received += UnsafeRawBufferPointer(rebasing: room[..<count]) }
      return count
    }
    if count < 0, errno == EAGAIN || errno == EINTR { return }
    guard count > 0 else { return end() }
    loop.counts.bytesReceived &+= UInt64(count)
  }

  /// Processes the received bytes, up to the end of one request.
  private func process() {
    do throws(HTTPFault) {
      needsMore = try !handsOverRequest()
    } catch {
      fail(error)
    }
  }

  /// - Returns: whether there was a whole request. If not, the connection has to wait for more bytes.
  private func handsOverRequest() throws(HTTPFault) -> Bool {
    while true {
      switch state {
      case .readingHead(let isBegun):
        guard !received.isEmpty else { return false }
        if !isBegun {
          state = .readingHead(isBegun: true)
          waitsForClient()
          timer?.start(afterMilliseconds: options.headWithinMilliseconds)
        }
        guard let head = try parser.take(&received) else { return false }
        let request = try Request(head, peer: peer)
        isCounted(by: listener.handler.party(of: request))
        try begin(request)
        guard case .readingBody = state else { return true }
      case .readingBody(let request, var reader):
        // The body is taken out of `state`, because a second reference to it would make the next write copy it.
        state = .ended
        let fault = takeBody(&reader)
        state = .readingBody(request, reader)
        if let fault { throw fault }
        guard reader.isComplete else { return false }
        guard let share = listener.delivered.takes(reader.body.count, of: party) else { throw .overloaded }
        deliveredBytes = share
        deliver(request, body: reader.body)
        return true
      case .waiting, .writing, .lingering, .ended: return true
      }
    }
  }

  private func takeBody(_ reader: inout BodyReader) -> HTTPFault? {
    do throws(HTTPFault) {
      try reader.take(&received)
    } catch { return error }
    heldBytes = reader.body.count
    timer?.start(afterMilliseconds: bodyMilliseconds())
    // A small request always gets memory, because the number of connections is bounded.
    let fits = heldBytes <= Self.readBytesMax || listener.makeSpace(for: 0, party: party, wait: wait)
    return fits ? nil : .overloaded
  }

  /// Within how many milliseconds the client must send more of the body.
  private func bodyMilliseconds() -> UInt64 {
    let end = bodyBegan + options.bodyWithinMilliseconds
    return min(options.bodyStallMilliseconds, end > loop.now ? end - loop.now : 1)
  }

  private func begin(_ request: Request) throws(HTTPFault) {
    if request.list(.upgrade).contains(where: { $0.utf8.map(\.lowercased).elementsEqual("websocket".utf8) }) {
      try upgrade(request)
      return
    }
    let length = try request.bodyLength()
    let reader: BodyReader
    switch listener.decision(on: length, of: request) {
    case .refuse(let response): return write(response, isHead: false, thenClose: true)
    case .accept(let bytesMax): reader = try BodyReader(length, bytesMax: bytesMax)
    }
    if try request.expectsContinue(), !reader.isComplete, received.isEmpty {
      let go = "HTTP/1.1 100 Continue\r\n\r\n"
      _ = send(descriptor, go, go.utf8.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
    }
    state = .readingBody(request, reader)
    bodyBegan = loop.now
    timer?.start(afterMilliseconds: bodyMilliseconds())
  }

  private func deliver(_ request: Request, body: [UInt8]) {
    let pending = PendingRequest(request: request, body: body, connection: self)
    waitsNoLonger()
    state = .waiting(pending)
    watch.want(readable: false, writable: false, hangUp: true)
    timer?.start(afterMilliseconds: options.answerWithinMilliseconds)
    listener.handler.requested(pending)
  }

  private func upgrade(_ request: Request) throws(HTTPFault) {
    let handshake = try Handshake(request, hasMore: !received.isEmpty)
    switch listener.handler.upgradeRequested(request) {
    case .refuse(let response):
      write(response, isHead: false, thenClose: !request.keepsAlive)
    case .accept(let wanted):
      let subprotocol = wanted.flatMap { wanted in
        handshake.offered.contains(wanted) && listener.options.subprotocols.contains(wanted) ? wanted : nil
      }
      leave()
      listener.adopt(descriptor, request: request, subprotocol: subprotocol, handshake: handshake)
    }
  }

  // MARK: Answering

  func isWaiting(for pending: PendingRequest) -> Bool {
    if case .waiting(let current) = state { return current === pending }
    return false
  }

  func answer(_ response: Response, to pending: PendingRequest) -> Bool {
    loop.assertCurrent()
    guard isWaiting(for: pending) else { return false }
    // From now on the pending request counts the body. This connection counts only the bytes of the answer, until the
    // answer is sent.
    heldBytes = 0
    deliveredBytes = 0
    guard
      response.body.count <= Self.readBytesMax
        || listener.makeSpace(for: response.body.count, party: party, wait: nil)
    else {
      fail(pending, .overloaded)
      return false
    }
    write(response, to: pending.request)
    return true
  }

  private func write(_ response: Response, to request: Request) {
    write(response, isHead: request.method == "HEAD", thenClose: !request.keepsAlive || listener.isClosed)
  }

  /// Sends an error as the answer to a valid request. The handler doesn't get the request.
  private func fail(_ pending: PendingRequest, _ fault: HTTPFault) {
    write(.error(fault), to: pending.request)
    listener.handler.refused(fault.status, from: peer, reason: fault.message)
  }

  /// Sends an error to a client whose request can't be parsed. Then closes the connection, because the bytes after such
  /// a request can't be parsed either.
  private func fail(_ fault: HTTPFault) {
    write(.error(fault), isHead: false, thenClose: true)
    listener.handler.refused(fault.status, from: peer, reason: fault.message)
  }

  private func write(_ response: Response, isHead: Bool, thenClose: Bool) {
    let body = isHead || !response.mayHaveBody ? [] : response.body
    outgoing = Outgoing(head: response.head(closing: thenClose, date: listener.date.text), body: body)
    heldBytes = outgoing.heldBytes
    state = .writing(thenClose: thenClose)
    watch.want(readable: false, writable: false)
    timer?.start(afterMilliseconds: options.stallMilliseconds)
    flush()
  }

  /// Sends as much of the answer as the socket takes.
  private func flush() {
    guard case .writing(let thenClose) = state else { return }
    let (progress, count) = outgoing.send(to: descriptor)
    loop.counts.bytesSent &+= UInt64(count)
    if count > 0 { timer?.start(afterMilliseconds: options.stallMilliseconds) }
    switch progress {
    case .done: outgoing = Outgoing()
    case .waits:
      watch.want(readable: false, writable: true)
      return waitsForClient()
    case .failed: return end()
    }
    heldBytes = 0
    if thenClose {
      linger()
    } else {
      state = .readingHead(isBegun: false)
      waitsForClient()
      timer?.start(afterMilliseconds: options.idleMilliseconds)
      watch.want(readable: true, writable: false)
      if !received.isEmpty { queueUp() }
    }
  }

  private func linger() {
    state = .lingering
    waitsForClient()
    received = []
    shutdown(descriptor, Int32(SHUT_WR))
    timer?.start(afterMilliseconds: Self.lingerMilliseconds)
    watch.want(readable: true, writable: false)
  }

  // MARK: Waiting for the client

  /// Notes that this connection now waits for its client. If connections or memory run short, such connections are
  /// dropped first.
  private func waitsForClient() {
    waitsNoLonger()
    wait = listener.waitBegan(self, party: party, bytes: heldBytes)
  }

  private func isCounted(by party: String) {
    guard party != self.party else { return }
    // `deliveredBytes` is set before `party`, so that the bytes are returned to the old address.
    deliveredBytes = 0
    self.party = party
    if wait != nil { waitsForClient() }
  }

  private func waitsNoLonger() {
    if let wait { listener.waitEnded(wait) }
    wait = nil
  }

  /// Ends the connection at once. To be called when the client has not finished, and other clients need the connection
  /// or its memory.
  func makeWay() {
    switch state {
    case .readingHead(isBegun: true), .readingBody:
      let response = Response.error(HTTPFault(status: 408, message: "others needed the place of an unfinished request"))
      let bytes = response.head(closing: true, date: listener.date.text) + response.body
      _ = send(descriptor, bytes, bytes.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
      listener.handler.refused(408, from: peer, reason: "others needed the place of an unfinished request")
    case .readingHead(isBegun: false), .waiting, .writing, .lingering, .ended: break
    }
    end()
  }

  // MARK: Ending

  private func timePassed() {
    switch state {
    case .readingHead(isBegun: true), .readingBody:
      fail(HTTPFault(status: 408, message: "the request took too long"))
    case .waiting(let pending):
      fail(pending, .tooLate)
      // The client waits no longer, so the owner need not go on with the work.
      pending.noteGone()
    case .readingHead(isBegun: false), .writing, .lingering, .ended: end()
    }
  }

  private func end() {
    if case .ended = state { return }
    leave()
    close(descriptor)
  }

  /// Ends this object's use of the socket without closing it.
  private func leave() {
    if case .waiting(let pending) = state { pending.noteGone() }
    state = .ended
    heldBytes = 0
    deliveredBytes = 0
    waitsNoLonger()
    watch?.close()
    timer?.cancel()
    timer = nil
    loop.residents[ObjectIdentifier(self)] = nil
    loop.counts.httpConnections -= 1
    listener.httpConnectionWent(from: peer)
    loop.memory.connectionWent(loop: loop)
  }
}
