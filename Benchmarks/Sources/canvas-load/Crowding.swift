import Basics
import CanvasCRDT
import Glibc
import WebSocketLoop

/// Measures what it costs when many clients join one room at once, while somebody writes there.
///
/// A client counts as live when it has the whole state. This program reads only the first two bytes of each message, so
/// that the server, and not this program, limits the result.
///
/// `@unchecked Sendable`: everything runs on the event loop's thread.
final class Crowding: ConnectionHandler, @unchecked Sendable {
  /// At most this many handshakes are under way at once, so that Linux's queue of unaccepted connections never
  /// overflows.
  private static let handshakesMax = 200
  private static let writer = -1
  private static let settleMilliseconds: UInt64 = 1_000
  private static let giveUpMilliseconds: UInt64 = 120_000

  let flags: Flags
  let loop: EventLoop
  private let process: ProcessFigures
  private let shape: Identifier
  private var connections: [Connection] = []
  private var clock: Clock?
  private var sentAt: [UInt64] = []
  private var isWriting = false
  private var acknowledgement = Percentiles()

  private var begunAt: UInt64 = 0
  private var cpuAtBeginning: UInt64 = 0
  private var cpuAtLive: UInt64 = 0
  private var liveAt: UInt64 = 0
  private var begun = 0
  private var live = 0
  private var joining = Percentiles()
  private var helloAt: [UInt64]
  private var messages: UInt64 = 0
  private var bytes: UInt64 = 0

  init(_ flags: Flags, loop: EventLoop) {
    self.flags = flags
    self.loop = loop
    guard let pid = flags.pid else { Load.complain("crowd needs --pid") }
    guard flags.encoding == .binary else { Load.complain("crowd speaks binary") }
    process = ProcessFigures(pid: pid)
    var generator = SystemRandomNumberGenerator()
    shape = Identifier.random(using: &generator)
    helloAt = Array(repeating: 0, count: flags.clients)
  }

  func start() {
    open(Crowding.writer)
    loop.schedule(afterMilliseconds: Crowding.giveUpMilliseconds) { [self] in
      Load.complain("\(live) of \(flags.clients) are live after two minutes")
    }
  }

  private func open(_ tag: Int) {
    let connection = loop.connect(
      to: flags.endpoint(room: flags.room),
      subprotocols: [flags.encoding.subprotocol.description],
      handler: self
    )
    connection.tag = tag
    connections.append(connection)
  }

  private func openNext() {
    guard begun < flags.clients else { return }
    open(begun)
    begun += 1
  }

  // MARK: Connections

  func connected(_ connection: Connection, request: Request) {
    connection.send(flags.encoding.frame(.hello(Hello())))
    guard connection.tag != Crowding.writer else { return }
    helloAt[connection.tag] = SteadyClock.nanoseconds()
    openNext()
  }

  func received(_ message: Message, on connection: Connection) {
    if connection.tag == Crowding.writer { return take(message) }
    messages += 1
    bytes += UInt64(message.bytes.count)
    // The state ends with the first message of operations (0x42) or state (0x43) whose flag `more` isn't set.
    guard helloAt[connection.tag] > 0, message.bytes.count > 1, message.bytes[0] == 0x42 || message.bytes[0] == 0x43,
      message.bytes[1] & 1 == 0
    else { return }
    joining.add(SteadyClock.nanoseconds() - helloAt[connection.tag])
    helloAt[connection.tag] = 0
    live += 1
    if live == flags.clients { allAreLive() }
  }

  func writable(_ connection: Connection) {}

  func closed(_ connection: Connection, closure: Closure) { Load.complain("a connection closed: \(closure)") }

  // MARK: The writer

  private func take(_ message: Message) {
    let answer: ServerMessage
    do throws(MessageError) { answer = try flags.encoding.serverMessage(message.bytes) } catch {
      Load.complain("not understood: \(error)")
    }
    switch answer {
    case .welcome(let welcome):
      clock = Clock(actor: welcome.actor)
      isWriting = true
      write()
      // Waits until the room exists and the first page of its log is written.
      loop.schedule(afterMilliseconds: 1_000) { self.begin() }
    case .acknowledgement(let acknowledgement):
      let number = acknowledgement.id?.json.bytes.reduce(0) { $0 &* 10 &+ Int($1) &- 48 } ?? 0
      if begunAt > 0, number > 0 { self.acknowledgement.add(SteadyClock.nanoseconds() - sentAt[number - 1]) }
    case .rejection(let rejection): Load.complain("refused: \(rejection.message.string)")
    default: break
    }
  }

  private func write() {
    guard isWriting, var clock else { return }
    var set = Properties()
    if sentAt.isEmpty { set.kind = .rectangle }
    set.position = LoadedRoom.position(of: sentAt.count)
    let operation = ProposedOperation(shape: shape, at: clock.tick(milliseconds: WallClock.milliseconds()), set: set)
    self.clock = clock
    sentAt.append(SteadyClock.nanoseconds())
    let id = MessageIdentifier(json: JSONText(UInt64(sentAt.count)))
    connections[0].send(flags.encoding.frame(.operations(Submission(id: id, operations: [operation]))))
    loop.schedule(afterMilliseconds: UInt64(1_000 / flags.rate)) { self.write() }
  }

  // MARK: The crowd

  private func begin() {
    begunAt = SteadyClock.nanoseconds()
    cpuAtBeginning = process.cpuNanoseconds
    for _ in 0..<min(Crowding.handshakesMax, flags.clients) { openNext() }
  }

  private func allAreLive() {
    liveAt = SteadyClock.nanoseconds()
    cpuAtLive = process.cpuNanoseconds
    isWriting = false
    // Waits, because the server is still telling each client who else is in the room.
    loop.schedule(afterMilliseconds: Crowding.settleMilliseconds) { self.finish() }
  }

  private func finish() {
    var result = ResultLine()
    result.add("clients", flags.clients)
    result.add("liveSeconds", Double(liveAt - begunAt) / 1e9)
    result.add("cpuMicrosecondsEach", Double(cpuAtLive - cpuAtBeginning) / Double(flags.clients) / 1e3)
    result.add(
      "cpuMicrosecondsEachSettled",
      Double(process.cpuNanoseconds - cpuAtBeginning) / Double(flags.clients) / 1e3
    )
    result.add("messagesEach", Double(messages) / Double(flags.clients))
    result.add("bytesEach", Double(bytes) / Double(flags.clients))
    result.add("join", nanoseconds: joining)
    result.add("ack", nanoseconds: acknowledgement)
    result.add("acknowledged", Int(acknowledgement.count))
    result.add("ownCpuSeconds", Double(ProcessFigures(pid: Int(getpid())).cpuNanoseconds) / 1e9)
    Load.finish(result)
  }
}
