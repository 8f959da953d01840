import Basics
import CanvasCRDT
import Glibc
import WebSocketLoop

/// Measures how long it takes until all clients are back after the server was restarted. Half of them are in one large
/// room. Each is a replica with the same reconnection delays as a page. In each room one client keeps editing, unless
/// the run has no writers.
///
/// `@unchecked Sendable`: everything runs on the event loop's thread.
final class Returning: ConnectionHandler, @unchecked Sendable {
  private static let handshakesMax = 200
  private static let editMilliseconds: UInt64 = 500
  private static let giveUpMilliseconds: UInt64 = 180_000

  private struct Tab {
    let room: String
    let isWriter: Bool
    var replica: Replica
    var connection: Connection?
    var shape: Identifier?
    var timer: LoopTimer?
    var isLive = false
    var hasAgreed = false
  }

  let flags: Flags
  let loop: EventLoop
  private var tabs: [Tab] = []
  private var begun = 0
  private var live = 0
  private var edits = 0
  private var isEditing = true

  // When the server's first process ended.
  private var goneAt: UInt64?
  private var backAfter = Percentiles()
  private var allBackAfter: UInt64 = 0
  private var tries = 0
  private var agreed = 0

  init(_ flags: Flags, loop: EventLoop) {
    self.flags = flags
    self.loop = loop
    var seeds = SystemRandomNumberGenerator()
    for index in 0..<2 * flags.clients {
      let isInLarge = index < flags.clients
      var configuration = ReplicaConfiguration()
      configuration.encoding = flags.encoding
      tabs.append(
        Tab(
          room: isInLarge ? flags.room : flags.roomName((index - flags.clients) % flags.rooms),
          isWriter: flags.writers > 0 && (index == 0 || !isInLarge && index - flags.clients < flags.rooms),
          replica: Replica(configuration: configuration, seed: seeds.next())
        )
      )
    }
  }

  func start() {
    for _ in 0..<min(Returning.handshakesMax, tabs.count) { startNext() }
    edit()
    loop.schedule(afterMilliseconds: Returning.giveUpMilliseconds) { [self] in
      Load.complain("\(live) of \(tabs.count) are live, and \(agreed) agree, after three minutes")
    }
  }

  private func startNext() {
    guard begun < tabs.count else { return }
    begun += 1
    run(begun - 1) { $0.start(at: $1) }
  }

  // MARK: Replicas

  private func run(_ index: Int, _ event: (inout Replica, Moment) -> [ReplicaEffect]) {
    let now = Moment(wallMilliseconds: WallClock.milliseconds(), monotonicMilliseconds: SteadyClock.milliseconds())
    for effect in event(&tabs[index].replica, now) {
      switch effect {
      case .connect: connect(index)
      case .send(let bytes): tabs[index].connection?.send(frame(bytes))
      case .disconnect: tabs[index].connection?.abort()
      case .wake(let at): wake(index, at: at, now)
      case .digest(let verdict): digest(verdict, of: index)
      case .failure(let error): Load.complain("not understood: \(error)")
      case .rejected(let edit): Load.complain("refused: \(edit.message.string)")
      default: break
      }
    }
    note(index)
  }

  private func frame(_ bytes: [UInt8]) -> MessageFrames {
    flags.encoding.isText ? MessageFrames(text: bytes) : MessageFrames(binary: bytes)
  }

  private func connect(_ index: Int) {
    if goneAt != nil { tries += 1 }
    let connection = loop.connect(
      to: flags.endpoint(room: tabs[index].room),
      subprotocols: [flags.encoding.subprotocol.description],
      handler: self
    )
    connection.tag = index
    tabs[index].connection = connection
  }

  private func wake(_ index: Int, at time: UInt64, _ now: Moment) {
    tabs[index].timer?.cancel()
    let pause = time - min(time, now.monotonicMilliseconds)
    tabs[index].timer = loop.schedule(afterMilliseconds: pause) { self.run(index) { $0.wake(at: $1) } }
  }

  /// The client whose current connection this is. `nil` for an old connection.
  private func owner(of connection: Connection) -> Int? {
    tabs[connection.tag].connection === connection ? connection.tag : nil
  }

  func connected(_ connection: Connection, request: Request) {
    if let index = owner(of: connection) { run(index) { $0.connected(at: $1) } }
  }

  func received(_ message: Message, on connection: Connection) {
    guard let index = owner(of: connection) else { return }
    let bytes = Array(message.bytes)
    run(index) { $0.received(bytes, isText: flags.encoding.isText, at: $1) }
  }

  func writable(_ connection: Connection) {}

  func closed(_ connection: Connection, closure: Closure) {
    guard let index = owner(of: connection) else { return }
    tabs[index].connection = nil
    if goneAt == nil {
      guard live == tabs.count else { Load.complain("a connection closed: \(closure)") }
      goneAt = SteadyClock.nanoseconds()
    }
    run(index) { $0.disconnected(closeCode: nil, at: $1) }
  }

  // MARK: What happens

  /// The writer of each room moves its shape, even while disconnected.
  private func edit() {
    guard isEditing else { return }
    for index in tabs.indices where tabs[index].isWriter && index < begun {
      edits += 1
      var set = Properties()
      set.position = LoadedRoom.position(of: edits)
      if let shape = tabs[index].shape {
        run(index) { $0.edit([ShapeEdit(shape: shape, set: set)], at: $1) }
        continue
      }
      set.kind = .rectangle
      var shape: Identifier?
      run(index) { replica, now in
        let added = replica.add(set, at: now)
        shape = added.shape
        return added.effects
      }
      tabs[index].shape = shape
    }
    loop.schedule(afterMilliseconds: Returning.editMilliseconds) { self.edit() }
  }

  private func note(_ index: Int) {
    let isLive = tabs[index].replica.state == .live
    guard isLive != tabs[index].isLive else { return }
    tabs[index].isLive = isLive
    live += isLive ? 1 : -1
    guard isLive else { return }
    guard let goneAt else {
      startNext()
      if live == tabs.count { Load.note("all are live") }
      return
    }
    backAfter.add(SteadyClock.nanoseconds() - goneAt)
    guard live == tabs.count, allBackAfter == 0 else { return }
    allBackAfter = SteadyClock.nanoseconds() - goneAt
    isEditing = false
    // Waits until the edits that clients made while the server was away have reached all clients.
    loop.schedule(afterMilliseconds: 300) { [self] in
      for index in tabs.indices { run(index) { $0.askDigest(at: $1) } }
    }
  }

  private func digest(_ verdict: DigestVerdict, of index: Int) {
    guard verdict == .agrees else { Load.complain("a client has another drawing than the server: \(verdict)") }
    guard !tabs[index].hasAgreed else { return }
    tabs[index].hasAgreed = true
    agreed += 1
    if agreed == tabs.count { finish() }
  }

  private func finish() {
    var result = ResultLine()
    result.add("clients", tabs.count)
    result.add("rooms", flags.rooms + 1)
    result.add("backSeconds", Double(allBackAfter) / 1e9)
    result.add("back", nanoseconds: backAfter)
    result.add("agreedSeconds", Double(SteadyClock.nanoseconds() - (goneAt ?? 0)) / 1e9)
    result.add("triesEach", Double(tries) / Double(tabs.count))
    result.add("ownCpuSeconds", Double(ProcessFigures(pid: Int(getpid())).cpuNanoseconds) / 1e9)
    Load.finish(result)
  }
}
