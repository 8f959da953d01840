internal import CWebSockets
import Glibc

/// A WebSocket connection, of a server or of a client.
///
/// **Sending.** A connection is not a queue. `write` takes frames from a buffer that many connections share, and
/// returns how many bytes the socket took. When the handler gets `writable`, the caller offers the remaining bytes
/// again. So a stalled reader costs at most one frame (`MessageFrames.fragmentBytesMax`). `send` is for the few
/// messages that only one reader gets. It keeps the bytes that the socket doesn't take, up to a bound.
///
/// **Freshness.** A server's `write` takes only as much as the line (the network path to the peer) carries in about a
/// tenth of a second (`LineGauge`), because bytes in the socket can't be replaced by newer ones. Behind a proxy, the
/// peer is asked how much has arrived (`Echoes`).
///
/// **Order.** Frames leave in the order of the calls, and no frame interrupts another.
///
/// **Ending.** `close` sends a close frame after everything that was sent before, waits a while for the answer, and
/// then drops the socket. `abort` drops the socket at once. Then the handler gets `closed` once, in a later iteration
/// of the event loop.
///
/// `@unchecked Sendable`: a connection belongs to its loop's thread, which debug builds check. It enters an actor that
/// runs on the loop; the compiler can't know that this is the same thread.
public final class Connection: @unchecked Sendable, TurnTaker {
  enum State {
    case connecting
    case open
    /// We have sent a close frame, or libwebsockets sends one.
    case closing
    /// The peer has sent a close frame, and libwebsockets answers it.
    case peerClosing
    case ended
  }

  /// Frames of one `send` that wait because the socket is full. The bytes before `offset` are sent already.
  struct Waiting {
    var bytes: [UInt8]
    var offset: Int
  }

  /// A number that no other connection of the loop has.
  public let identifier: UInt64
  public let loop: EventLoop
  /// The peer's numeric address, without the port. Empty for a client's connection.
  public let peer: String
  /// The subprotocol that was agreed on. `nil` if there is none.
  public internal(set) var subprotocol: String?
  /// The owner's own index or key for the connection. This module doesn't read it.
  public var tag = 0
  /// The party to which unfinished messages are charged: the peer's address (`NetworkAddress.party`), unless the owner
  /// sets another text.
  public var party: String

  let options: WebSocketOptions
  let isServers: Bool
  let counter: (any ConnectionCounter)?
  var handler: (any ConnectionHandler)?
  private(set) var request: Request?
  private(set) var wsi: OpaquePointer?
  private(set) var descriptor: Int32 = -1
  var state = State.connecting
  var closure: Closure?
  var isAborted = false
  private var wasOpened = false

  var waiting: [Waiting] = []
  var waitingBytes = 0
  var isStalled = false
  var wantsWritable = false
  var gauge = LineGauge()
  /// `nil` unless there is a proxy between the server and the peer.
  var echoes: Echoes?
  /// Whether nothing is written to the line for now, because enough bytes are in flight.
  var isHeld = false
  var lineTimer: LoopTimer?

  var assembly: [UInt8] = []
  /// How many bytes of `assembly` were found to be valid UTF-8, if the message is a text.
  var assemblyChecked = 0
  /// The listener's number for the unfinished message in `assembly`.
  var unfinishedMessage: UInt64?
  /// When the message in `assembly` began, moved on by what pauses in reading since then don't count.
  var messageBegan: UInt64?
  private(set) var isReadingPaused = false
  var heldBackAt: UInt64 = 0
  /// Messages that arrived when the loop had no time left for them in that iteration.
  var held = HeldMessages()
  var overhead = Overhead()
  /// The index of this connection in the listener's list of connections.
  var place = 0
  var wasResumed = false
  private var lastHeard: UInt64 = 0
  var lastMessage: UInt64 = 0
  private var pingedAt: UInt64?
  /// How many bytes the peer had acknowledged at the last check. If this number has grown since, the peer is alive.
  private var acknowledged: UInt64 = 0
  /// When the peer was last heard. `nil` if the socket wasn't stalled at the last check, or had no unread bytes.
  private var unreadSince: UInt64?
  var timer: LoopTimer?

  /// - Parameter counter: counts a server's connections; `nil` for a client's.
  init(
    loop: EventLoop,
    counter: (any ConnectionCounter)?,
    handler: any ConnectionHandler,
    request: Request,
    subprotocol: String?,
    options: WebSocketOptions
  ) {
    self.loop = loop
    self.counter = counter
    self.handler = handler
    self.request = request
    self.subprotocol = subprotocol
    self.options = options
    peer = request.peer
    party = NetworkAddress.party(of: peer)
    identifier = loop.nextIdentifier()
    isServers = counter != nil
    if isServers, request.hasPassedProxy { echoes = Echoes() }
  }

  /// Whether messages may be sent.
  public var isOpen: Bool { state == .open }

  // MARK: Life

  func attach(to wsi: OpaquePointer) {
    self.wsi = wsi
    descriptor = lws_get_socket_fd(wsi)
    if isServers { limitUnsent() }
  }

  func detach() {
    wsi = nil
    descriptor = -1
  }

  func opened() {
    state = .open
    wasOpened = true
    loop.counts.connections += 1
    counter?.webSocketCame(self)
    lastHeard = loop.now
    lastMessage = loop.now
    var received: UInt64 = 0
    if isServers, cws_read_received(descriptor, &received) == 0 { overhead.begin(received: received, at: loop.now) }
    let timer = timer ?? LoopTimer(loop: loop, repeats: true) { [unowned self] in timePassed() }
    self.timer = timer
    timer.start(afterMilliseconds: nextCheck())
    guard let request else { return }
    // The request isn't needed any more. It would take most of an idle connection's memory.
    self.request = nil
    handler?.connected(self, request: request)
  }

  /// Ends a client's attempt to connect if it takes too long.
  func limitConnecting() {
    guard state == .connecting else { return }
    let timer = LoopTimer(loop: loop, repeats: true) { [unowned self] in timePassed() }
    self.timer = timer
    timer.start(afterMilliseconds: options.connectWithinMilliseconds)
  }

  /// Whether the host's address may still be connected to.
  var isWanted: Bool { state == .connecting && !isAborted }

  func failedToConnect(_ why: String, _ cause: Closure.Cause = .refused(status: 0)) {
    guard state == .connecting else { return }
    closure = Closure(cause: cause, code: CloseCode.lost, reason: why)
    state = .closing
    wasOpened = true
    loop.counts.connections += 1
    ended()
  }

  /// Ends the connection, because its socket is closed or about to be. May be called more than once.
  func ended() {
    guard state != .ended else { return }
    if state == .connecting, !isServers {
      failedToConnect("no answer")
      return
    }
    let closure = closure ?? libraryClosure() ?? Closure(cause: .lost, code: CloseCode.lost)
    state = .ended
    timer?.cancel()
    timer = nil
    lineTimer?.cancel()
    lineTimer = nil
    waiting = []
    waitingBytes = 0
    dropUnread()
    guard wasOpened else { return }
    loop.counts.connections -= 1
    counter?.webSocketWent(self)
    loop.memory.connectionWent(loop: loop)
    guard let handler else { return }
    self.handler = nil
    // libwebsockets may close a thousand connections in one call. The owner is told of each in a separate job, so that
    // the iteration of the loop can end between two jobs.
    loop.execute { handler.closed(self, closure: closure) }
  }

  /// How the connection ended, if libwebsockets closes it because the received bytes were malformed.
  private func libraryClosure() -> Closure? {
    guard let wsi, wasOpened, lws_get_close_length(wsi) >= 2, let payload = lws_get_close_payload(wsi) else {
      return nil
    }
    // A ping that arrived meanwhile has overwritten the code, because libwebsockets keeps both in one buffer.
    let code = UInt16(payload[0]) << 8 | UInt16(payload[1])
    let isItsOwn = [CloseCode.protocolError, CloseCode.notUTF8, CloseCode.tooLarge].contains(code)
    return Closure(cause: .ours, code: isItsOwn ? code : CloseCode.protocolError)
  }

  /// Called when libwebsockets is about to close, so that nothing is sent any more.
  func libraryCloses() {
    guard state == .open else { return }
    state = .closing
    timer?.start(afterMilliseconds: options.closeWithinMilliseconds)
  }

  // MARK: Receiving

  /// Stops reading (backpressure), for an owner that can't handle the peer's messages yet. Meanwhile the peer's silence
  /// isn't a reason to close the connection. It is closed only if the peer takes none of the bytes that it is sent.
  public func pauseReading() {
    loop.assertCurrent()
    guard !isReadingPaused else { return }
    if !isHeldBack { heldBackAt = loop.now }
    isReadingPaused = true
    setFlow()
  }

  public func resumeReading() {
    loop.assertCurrent()
    guard isReadingPaused else { return }
    isReadingPaused = false
    if !isHeldBack { moveMessageOn() }
    heard()
    queueUp()
    setFlow()
  }

  var isReading: Bool { !isHeldBack && held.isEmpty }
  /// Whether nothing is read because the peer has sent more than its rates allow, or more than the owner can handle.
  var isHeldBack: Bool { isReadingPaused || overhead.isResting }

  func heard() {
    lastHeard = loop.now
    pingedAt = nil
  }

  // MARK: Deadlines

  private func timePassed() {
    switch state {
    case .ended: return
    case .connecting: abort()
    case .closing, .peerClosing: abort()
    case .open:
      let now = loop.now
      if let idle = options.idleMilliseconds, now - lastMessage >= idle {
        close(code: CloseCode.goingAway, reason: "idle")
        return
      }
      if let messageBegan, now >= messageDue(messageBegan) {
        giveMessageUp("the message was not finished in time")
        return
      }
      if !isReading, !isLineStuck() {
        heard()
      } else if let pingedAt {
        if now - pingedAt >= options.pongWithinMilliseconds {
          closeByItself(code: options.silentCloseCode, reason: "no sign of life")
          return
        }
      } else if now - lastHeard >= options.pingAfterMilliseconds {
        pingedAt = now
        sendPing("live")
      }
      if isStalled, isLeftUnread() {
        abort()
        return
      }
      timer?.start(afterMilliseconds: nextCheck())
    }
  }

  /// Whether bytes wait to be sent, and none have been acknowledged since the last check. While reading is paused, only
  /// this shows whether the peer is alive, because its answer to a ping would stay unread.
  private func isLineStuck() -> Bool {
    guard isStalled || isHeld, let line = readLine() else { return false }
    defer { acknowledged = line.acknowledged }
    return line.acknowledged == acknowledged
  }

  /// Called when the socket is full. Until the socket is writable, the connection is checked more often.
  func stalled() {
    loop.counts.stalls &+= 1
    guard !isStalled else { return }
    isStalled = true
    unreadSince = nil
    if state == .open { timer?.start(afterMilliseconds: Self.stallCheckMilliseconds) }
  }

  /// How often a stalled connection is checked.
  private static let stallCheckMilliseconds: UInt64 = 250

  /// Whether received bytes stay unread because libwebsockets is closing. If a peer breaks the protocol and reads
  /// nothing, libwebsockets waits up to five seconds to send its close frame, and reads nothing meanwhile. The unread
  /// bytes then wake the loop again and again, which takes half a processor. This state is recognised by bytes that
  /// stay unread from one check to the next.
  private func isLeftUnread() -> Bool {
    var look = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard isReading, poll(&look, 1, 0) == 1 else {
      unreadSince = nil
      return false
    }
    if unreadSince == lastHeard { return true }
    unreadSince = lastHeard
    return false
  }

  func nextCheck() -> UInt64 {
    if isStalled { return Self.stallCheckMilliseconds }
    let now = loop.now
    let sign = pingedAt.map { $0 + options.pongWithinMilliseconds } ?? lastHeard + options.pingAfterMilliseconds
    var due = options.idleMilliseconds.map { min(sign, lastMessage + $0) } ?? sign
    if let messageBegan { due = min(due, messageDue(messageBegan)) }
    return due > now ? due - now : 1
  }

  // MARK: Closing

  /// Sends a close frame, after everything that was sent before. The reason is cut to the 123 bytes that fit. Messages
  /// that arrive later are dropped. The peer has `closeWithinMilliseconds` to answer.
  public func close(code: UInt16, reason: String = "") {
    loop.assertCurrent()
    guard state == .open else { return }
    state = .closing
    dropUnread()
    closure = Closure(cause: .ours, code: code, reason: reason)
    sendClose(code: code, reason: reason)
    timer?.start(afterMilliseconds: options.closeWithinMilliseconds)
  }

  /// Closes the connection for a reason that only this module knows. The handler can send more messages before the
  /// close frame.
  func closeByItself(code: UInt16, reason: String) {
    guard state == .open else { return }
    handler?.closing(self, code: code, reason: reason)
    close(code: code, reason: reason)
  }

  /// Drops the socket. The handler gets `closed` in a later iteration of the loop.
  public func abort() {
    loop.assertCurrent()
    guard state != .ended, !isAborted else { return }
    isAborted = true
    guard let wsi else {
      // The host is still being looked up, or the socket is gone already.
      loop.execute { [self] in failedToConnect("no answer") }
      return
    }
    if state == .connecting {
      // The deadline is set in a later iteration of the loop, because libwebsockets might still set another deadline in
      // this iteration.
      loop.execute { [self] in
        if state == .connecting, let wsi = self.wsi { cws_kill(wsi) }
      }
      return
    }
    // After this call libwebsockets sees that the socket has ended, and cleans up. The request for writability that
    // follows makes sure that libwebsockets watches the socket.
    shutdown(descriptor, Int32(SHUT_RDWR))
    lws_callback_on_writable(wsi)
  }

  // MARK: Writability

  func becameWritable() -> Int32 {
    if isAborted { return -1 }
    // libwebsockets calls back about writability in some cases in which nobody has requested it: after it has answered
    // a ping, and after reading was resumed. Only the first case counts as a ping.
    if state == .open, isServers, !isStalled, !wantsWritable, waiting.isEmpty, !wasResumed {
      handler?.pinged(self)
    }
    wasResumed = false
    isStalled = false
    flushWaiting()
    if waiting.isEmpty, wantsWritable, state == .open, !isStalled, !isHeld {
      wantsWritable = false
      handler?.writable(self)
    }
    return isAborted ? -1 : 0
  }
}
