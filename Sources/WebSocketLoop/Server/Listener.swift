internal import CWebSockets
import Basics
import Glibc

/// The settings of a listener.
public struct ListenOptions: Sendable {
  /// The WebSocket subprotocols that the listener speaks.
  public var subprotocols: [String] = []
  public var webSocket = WebSocketOptions()
  public var http = HTTPOptions()
  /// The upper bound on open connections. Any further connection is answered with 503 at once. Protects memory, and the
  /// number of open files.
  public var connectionsMax = 20_000
  /// The upper bound on connections that the kernel queues until the listener accepts them.
  public var backlog: Int32 = 4_096

  public init() {}
}

public enum ListenError: Error, Equatable {
  case portInUse(host: String, port: Int)
  case noRight(host: String, port: Int)
  case badHost(String)
  case failed(errno: Int32)
}

/// Listens on a port.
///
/// `@unchecked Sendable`: only the loop's thread uses it, which debug builds check; `host` and `port` never change.
public final class Listener: @unchecked Sendable, SocketWatcher, LoopResident, ConnectionCounter, TurnObserver {
  /// How many connections are accepted in a row before open connections are served again.
  private static let acceptsInOneGoMax = 64
  /// How many connections are accepted in a row if the open connections have waited for long.
  private static let acceptsInOneGoMin = 4

  public let host: String
  /// The port. If port 0 was requested, it is the port that the system chose.
  public let port: Int
  public let loop: EventLoop
  let options: ListenOptions
  let handler: any ServerHandler
  let date: HTTPDate
  private let webSocketHost: WebSocketHost
  private let descriptor: Int32
  private var watch: SocketWatch!
  /// A reserved descriptor. If descriptors run out, it is closed for a moment, so that a new connection can be accepted
  /// and then closed. Otherwise the listener would stay readable, and the loop would never sleep.
  private var spareDescriptor: Int32
  private(set) var isClosed = false
  /// The number of open connections, WebSocket or HTTP.
  public private(set) var connectionCount = 0
  /// The upper bound on open connections. It can be less than the option, because the system limits open files.
  public let connectionsMax: Int
  private var webSockets: [Connection] = []
  /// The index of the connection with which the next check for floods begins. Each check covers only some of the
  /// connections.
  private var lookedAt = 0
  private var receivingMicroseconds: UInt64 = 0
  /// After this much time spent on reading, the listener checks all connections for floods of frames that no handler
  /// sees. Each iteration of the loop checks some of them.
  private static let receivingMicrosecondsBetweenLooks: UInt64 = 50_000
  private static let looksInATurn = 256
  private var httpConnections = 0
  /// The bytes of bodies and answers that HTTP connections hold.
  var heldBytes = 0
  /// The HTTP connections that wait for their client to send a request or to take its answer.
  private var requests: Unfinished
  private var requestOwners: [UInt64: HTTPConnection] = [:]
  /// WebSocket messages whose end hasn't arrived.
  private var messages: Unfinished
  private var messageOwners: [UInt64: Connection] = [:]
  /// The bytes of bodies that were delivered to the owner and are not answered yet, by address.
  var delivered: HeldShares
  private var httpConnectionsOfParty: [String: Int] = [:]

  init(
    loop: EventLoop,
    host: String,
    port: Int,
    options: ListenOptions,
    handler: any ServerHandler
  ) throws(ListenError) {
    self.loop = loop
    self.host = host
    self.options = options
    self.handler = handler
    connectionsMax = min(options.connectionsMax, FileLimit.connectionsMax)
    date = HTTPDate(loop: loop)
    delivered = HeldShares(bytesMax: options.http.heldBytesMax, smallBytesMax: HTTPConnection.readBytesMax)
    requests = Unfinished(graceMilliseconds: options.http.graceMilliseconds)
    messages = Unfinished(graceMilliseconds: options.http.graceMilliseconds)
    let descriptor = try Self.open(host: host, port: port, backlog: options.backlog)
    guard
      let webSocketHost = loop.websockets?.addServerHost(subprotocols: options.subprotocols)
    else {
      Glibc.close(descriptor)
      throw .failed(errno: ENOMEM)
    }
    self.descriptor = descriptor
    self.webSocketHost = webSocketHost
    self.port = SocketAddress.local(of: descriptor)?.port ?? port
    spareDescriptor = Self.openSpare()
    watch = SocketWatch(loop: loop, descriptor: descriptor, watcher: self)
    guard watch != nil else {
      Glibc.close(descriptor)
      Glibc.close(spareDescriptor)
      throw .failed(errno: ENOSPC)
    }
    watch.want(readable: true, writable: false)
    loop.residents[ObjectIdentifier(self)] = self
    loop.register(self)
  }

  /// Accepts no more connections. Open connections stay, but each HTTP connection is closed after its next answer.
  public func close() {
    loop.assertCurrent()
    guard !isClosed else { return }
    isClosed = true
    watch.close()
    Glibc.close(descriptor)
    Glibc.close(spareDescriptor)
    loop.residents[ObjectIdentifier(self)] = nil
  }

  func loopStops() { close() }

  func webSocketCame(_ connection: Connection) {
    connectionCount += 1
    connection.place = webSockets.count
    webSockets.append(connection)
  }

  func webSocketWent(_ connection: Connection) {
    connectionCount -= 1
    // The last connection of the list moves to the index of the one that is removed, so that no other moves.
    guard let last = webSockets.popLast(), last !== connection else { return }
    webSockets[connection.place] = last
    last.place = connection.place
  }

  public func turnEnded() {}

  public func turnTook(_ turn: LoopTurn) {
    receivingMicroseconds += turn.receivingMicroseconds
    if lookedAt >= webSockets.count, receivingMicroseconds >= Self.receivingMicrosecondsBetweenLooks {
      lookedAt = 0
      receivingMicroseconds = 0
    }
    let end = min(lookedAt + Self.looksInATurn, webSockets.count)
    guard lookedAt < end else { return }
    for connection in webSockets[lookedAt..<end] { connection.lookAtOverhead() }
    lookedAt = end
  }

  func httpConnectionCame(from peer: String) {
    connectionCount += 1
    httpConnections += 1
    httpConnectionsOfParty[NetworkAddress.party(of: peer), default: 0] += 1
  }

  func httpConnectionWent(from peer: String) {
    connectionCount -= 1
    httpConnections -= 1
    httpConnectionsOfParty.countDown(NetworkAddress.party(of: peer))
  }

  // MARK: Accepting

  func socketIsReady(readable: Bool, writable: Bool) {
    for count in 0..<Self.acceptsInOneGoMax {
      guard !isClosed, count < Self.acceptsInOneGoMin || !loop.isTurnSpent else { return }
      var address = SocketAddress()
      let accepted = address.withStorage { storage, count in
        accept4(descriptor, storage, count, Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue))
      }
      if accepted < 0 {
        if errno == EMFILE || errno == ENFILE {
          if makesWayForFiles() { continue }
          dropOneForLackOfFiles()
          return
        }
        if errno == EINTR || errno == ECONNABORTED { continue }
        return
      }
      // Turns off Nagle's algorithm. Frames are gathered until the end of an iteration of the loop anyway, and the
      // kernel would only delay them.
      var on: Int32 = 1
      setsockopt(accepted, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
      let peer = address.numericHost
      if let response = refusal(of: peer) {
        refuse(accepted, from: peer, response)
        continue
      }
      HTTPConnection(listener: self, descriptor: accepted, peer: peer).start()
    }
  }

  /// The answer for a client that isn't served. `nil` if it is served. If there are too many connections, one that
  /// waits for its client is closed instead.
  private func refusal(of peer: String) -> Response? {
    guard let refusal = shortage(for: peer) else { return nil }
    let party = NetworkAddress.party(of: peer)
    let number =
      switch refusal.shortage {
      case .ofAll: requests.victim(.count, for: party, now: loop.now)
      case .ofAddress: requests.ofItsOwn(party, now: loop.now)
      }
    guard let number, let owner = requestOwners[number] else { return refusal.response }
    owner.makeWay()
    return shortage(for: peer)?.response
  }

  private func shortage(for peer: String) -> ConnectionRefusal? {
    guard connectionCount < connectionsMax else {
      return ConnectionRefusal(.error(.tooManyConnections), .ofAll)
    }
    let count = HTTPConnectionCount(
      all: httpConnections,
      fromPeer: httpConnectionsOfParty[NetworkAddress.party(of: peer), default: 0]
    )
    return handler.connectionOffered(from: peer, http: count)
  }

  // MARK: Connections whose client has not finished

  /// Lists a connection as waiting for its client.
  /// - Returns: the number of the entry.
  func waitBegan(_ connection: HTTPConnection, party: String, bytes: Int) -> UInt64 {
    let number = requests.begin(party: party, bytes: bytes, now: loop.now)
    requestOwners[number] = connection
    return number
  }

  func waitEnded(_ number: UInt64) {
    requests.end(number)
    requestOwners[number] = nil
  }

  func waitHolds(_ number: UInt64, bytes: Int) { requests.resize(number, bytes: bytes) }

  /// Whether a request's body is read, and how long it may be.
  func decision(on length: BodyLength, of request: Request) -> LongBodyDecision {
    let bytesMax = options.http.bodyBytesMax
    let longer = length.mayExceed(bytesMax) ? handler.longBodyOffered(by: request) : nil
    return longer ?? .accept(bytesMax: bytesMax)
  }

  /// Makes sure that the listener can hold `bytes` more bytes. If memory is short, connections that still wait for
  /// their clients are evicted.
  /// - Parameter wait: the entry of the caller's own connection, which must not be evicted.
  func makeSpace(for bytes: Int, party: String, wait: UInt64?) -> Bool {
    while heldBytes + bytes > options.http.heldBytesMax {
      guard let number = requests.victim(.bytes, for: party, except: wait, now: loop.now),
        let owner = requestOwners[number]
      else { return false }
      owner.makeWay()
    }
    return true
  }

  func messageGrew(_ connection: Connection) {
    let bytes = connection.assembly.count
    if let number = connection.unfinishedMessage {
      messages.resize(number, bytes: bytes)
    } else {
      let number = messages.begin(party: connection.party, bytes: bytes, now: loop.now)
      connection.unfinishedMessage = number
      messageOwners[number] = connection
    }
    while messages.bytes > options.webSocket.unfinishedBytesMax {
      let number = messages.victim(
        .bytes,
        for: connection.party,
        except: connection.unfinishedMessage,
        now: loop.now
      )
      let owner = number.flatMap { messageOwners[$0] } ?? connection
      owner.giveMessageUp("others needed the memory of a message that was not finished")
      if owner === connection { return }
    }
  }

  func messageEnded(_ number: UInt64) {
    messages.end(number)
    messageOwners[number] = nil
  }

  /// Answers a client that isn't served, and closes. Bytes that the socket doesn't take at once are lost.
  private func refuse(_ accepted: Int32, from peer: String, _ response: Response) {
    let bytes = response.head(closing: true, date: date.text) + response.body
    _ = send(accepted, bytes, bytes.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
    shutdown(accepted, Int32(SHUT_WR))
    // The client's bytes are read before the socket is closed. If a socket is closed with unread bytes, the kernel
    // drops the answer.
    withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 1) { room in
      _ = recv(accepted, room.baseAddress, room.count, Int32(MSG_DONTWAIT))
    }
    Glibc.close(accepted)
    handler.refused(response.status, from: peer, reason: "too many connections")
  }

  /// Frees a descriptor when the limit of open files is reached, by evicting a connection whose client has not
  /// finished.
  private func makesWayForFiles() -> Bool {
    guard let number = requests.victim(.count, for: "", now: loop.now), let owner = requestOwners[number] else {
      return false
    }
    owner.makeWay()
    return true
  }

  private func dropOneForLackOfFiles() {
    Glibc.close(spareDescriptor)
    let accepted = accept(descriptor, nil, nil)
    if accepted >= 0 { Glibc.close(accepted) }
    spareDescriptor = Self.openSpare()
  }

  private static func openSpare() -> Int32 { Glibc.open("/dev/null", O_RDONLY | O_CLOEXEC) }

  /// Gives libwebsockets a socket whose upgrade was granted. libwebsockets answers the handshake before this call
  /// returns. If it can't, it closes the socket.
  func adopt(_ accepted: Int32, request: Request, subprotocol: String?, handshake: Handshake) {
    let connection = Connection(
      loop: loop,
      counter: self,
      handler: handler,
      request: request,
      subprotocol: subprotocol,
      options: options.webSocket
    )
    webSocketHost.adopting = connection
    let head = handshake.head(host: webSocketHost.name, subprotocol: subprotocol)
    _ = head.withUnsafeBytes { bytes in
      lws_adopt_socket_vhost_readbuf(
        webSocketHost.pointer,
        accepted,
        bytes.assumingMemoryBound(to: CChar.self).baseAddress,
        bytes.count
      )
    }
    webSocketHost.adopting = nil
  }

  private static func open(host: String, port: Int, backlog: Int32) throws(ListenError) -> Int32 {
    guard (0...65_535).contains(port) else { throw .failed(errno: EINVAL) }
    let addresses = SocketAddress.resolve(host: host, port: port, flags: AI_PASSIVE)
    guard !addresses.isEmpty else { throw .badHost(host) }
    var failure: Int32 = EADDRNOTAVAIL
    for address in addresses {
      let descriptor = socket(
        address.family,
        Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue),
        0
      )
      guard descriptor >= 0 else {
        failure = errno
        continue
      }
      var on: Int32 = 1
      // Allows the address to be used again at once. Otherwise a server couldn't be restarted while the system still
      // remembers old connections.
      setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
      if address.withStorage({ bind(descriptor, $0, $1) }) == 0, Glibc.listen(descriptor, backlog) == 0 {
        return descriptor
      }
      failure = errno
      Glibc.close(descriptor)
    }
    switch failure {
    case EADDRINUSE: throw .portInUse(host: host, port: port)
    case EACCES, EPERM: throw .noRight(host: host, port: port)
    case EADDRNOTAVAIL: throw .badHost(host)
    default: throw .failed(errno: failure)
    }
  }
}

extension EventLoop {
  /// Listens on `host` (a name or a numeric address; `0.0.0.0` and `::` stand for all addresses) and `port` (0 stands
  /// for any free port). Can be called on any thread.
  public func listen(
    host: String,
    port: Int,
    options: ListenOptions = ListenOptions(),
    handler: any ServerHandler
  ) throws(ListenError) -> Listener {
    try perform { () throws(ListenError) -> Listener in
      try Listener(loop: self, host: host, port: port, options: options, handler: handler)
    }
  }
}
