import Glibc

/// One connection through the proxy. Only the proxy's thread uses it.
final class ProxiedLine {
  /// A request with a planned cut, which is kept until its answer has passed.
  private struct Request {
    let cut: Cut
    var requestBytes = 0
    var answerBytes = 0
  }

  /// The application name of the client.
  private(set) var name: String?
  /// Whether the proxy reads the database's answers.
  var carriesAnswers = true
  private var client: Int32
  private var server: Int32
  private var toClient: [UInt8] = []
  private var toServer: [UInt8] = []
  private var fromClient = PostgresMessages(ofClient: true)
  private var fromServer = PostgresMessages(ofClient: false)
  /// Whether the client's next message begins a new request.
  private var isBetweenRequests = true
  private var request: Request?
  /// Whether the proxy has stopped reading from the client, so that the client seems to hang.
  private var isClientSilent = false
  /// Whether nothing more will be sent to the client.
  private var isClientDone = false
  /// Whether nothing more will be sent to the database, because it was sent the end of the stream.
  private var isServerDone = false
  private var isServerTold = false

  private let planned: (_ statement: String) -> Cut?
  private let made: (Cut) -> Void
  private let missed: (Cut) -> Void

  init(
    _ client: Int32,
    _ server: Int32,
    planned: @escaping (_ statement: String) -> Cut?,
    made: @escaping (Cut) -> Void,
    missed: @escaping (Cut) -> Void
  ) {
    self.client = client
    self.server = server
    self.planned = planned
    self.made = made
    self.missed = missed
  }

  var isOver: Bool { client < 0 && server < 0 }

  /// What `poll` waits for at both ends. `poll` ignores negative descriptors.
  var waited: [pollfd] {
    let fromServer = (carriesAnswers ? POLLIN : 0) | (toServer.isEmpty ? 0 : POLLOUT)
    return [
      pollfd(fd: client, events: Int16((isClientSilent ? 0 : POLLIN) | (toClient.isEmpty ? 0 : POLLOUT)), revents: 0),
      // `poll` reports a hang-up even if no events are requested. So a descriptor that must not be watched is replaced
      // by -1.
      pollfd(fd: fromServer == 0 ? -1 : server, events: Int16(fromServer), revents: 0),
    ]
  }

  /// Whether the proxy holds back an answer of the database.
  var holdsAnswer: Bool {
    var byte: UInt8 = 0
    return !carriesAnswers && recv(server, &byte, 1, Int32(MSG_PEEK)) > 0
  }

  func turn(client clientEvents: Int16, server serverEvents: Int16) {
    if clientEvents != 0, client >= 0, !isClientDone, !isClientSilent { readClient() }
    if serverEvents != 0, server >= 0, carriesAnswers { readServer() }
    send(&toClient, to: client)
    send(&toServer, to: server)
    if isClientDone, toClient.isEmpty { hangUp(&client) }
    if isServerDone, toServer.isEmpty, server >= 0, !isServerTold {
      // Closes only the sending direction, so the database first reads all bytes and then the end. Its answers are read
      // until then.
      shutdown(server, Int32(SHUT_WR))
      isServerTold = true
    }
  }

  func end() {
    hangUp(&client)
    hangUp(&server)
  }

  private func hangUp(_ descriptor: inout Int32) {
    if descriptor >= 0 { close(descriptor) }
    descriptor = -1
  }

  // MARK: Carrying

  private func readClient() {
    guard let part = received(from: client) else {
      hangUp(&client)
      toClient = []
      isClientDone = true
      isServerDone = true
      return
    }
    fromClient.add(part)
    while !isServerDone, !isClientSilent, let message = fromClient.next() { carryToServer(message) }
  }

  private func carryToServer(_ message: PostgresMessage) {
    if let name = message.applicationName { self.name = name }
    if isBetweenRequests, let statement = message.boundStatement, let cut = planned(statement) {
      request = Request(cut: cut)
    }
    isBetweenRequests = message.isSync
    if let request, request.cut.way == .request, request.requestBytes + message.bytes.count > request.cut.place {
      toServer += message.bytes.prefix(request.cut.place - request.requestBytes)
      return cut(request.cut)
    }
    request?.requestBytes += message.bytes.count
    toServer += message.bytes
  }

  private func readServer() {
    guard let part = received(from: server) else {
      hangUp(&server)
      toServer = []
      isServerDone = true
      isClientDone = true
      return
    }
    fromServer.add(part)
    while !isClientDone, let message = fromServer.next() { carryToClient(message) }
  }

  private func carryToClient(_ message: PostgresMessage) {
    toClient += message.bytes
    guard let request else { return }
    let excess = request.answerBytes + message.bytes.count - request.cut.place
    if request.cut.way == .answer, excess > 0 {
      toClient.removeLast(excess)
      toClient += request.cut.garbage
      return cut(request.cut)
    }
    self.request?.answerBytes += message.bytes.count
    if message.isReadyForQuery {
      missed(request.cut)
      self.request = nil
    }
  }

  private func cut(_ cut: Cut) {
    made(cut)
    isClientSilent = cut.isSilence
    guard !isClientSilent else { return }
    isClientDone = true
    isServerDone = true
  }

  // MARK: Sockets

  /// - Returns: the bytes that were received. `nil` at the end of the stream.
  private func received(from descriptor: Int32) -> [UInt8]? {
    var part = [UInt8](repeating: 0, count: 65_536)
    let count = recv(descriptor, &part, part.count, 0)
    if count < 0 { return errno == EAGAIN || errno == EINTR ? [] : nil }
    return count == 0 ? nil : Array(part.prefix(count))
  }

  private func send(_ bytes: inout [UInt8], to descriptor: Int32) {
    guard !bytes.isEmpty, descriptor >= 0 else { return }
    let count = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    if count > 0 {
      bytes.removeFirst(count)
    } else if errno != EAGAIN, errno != EINTR {
      // The other end is gone. The next read will report that.
      bytes = []
    }
  }
}
