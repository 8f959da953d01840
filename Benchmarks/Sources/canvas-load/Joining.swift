import Basics
import CanvasCRDT
import Glibc
import WebSocketLoop

/// Fills a room, and then joins it many times. The time of a join runs from `connect` until the whole state is in a
/// canvas.
///
/// `@unchecked Sendable`: everything runs on the event loop's thread.
final class Joining: ConnectionHandler, @unchecked Sendable {
  private static let fillWindow = 4
  private static let fillBatch = 256

  struct Joiner {
    var startedAt: UInt64 = 0
    var firstAfter: UInt64 = 0
    var allAfter: UInt64 = 0
    var bytes = 0
    var canvas = Canvas(seed: 1)
    var cpu: UInt64 = 0
  }

  let flags: Flags
  let loop: EventLoop
  private let process: ProcessFigures?
  private var operations: [ProposedOperation] = []
  private var filled = 0
  private var acknowledged = 0
  private var filler: Connection?
  private var clock: Clock?
  private var joiners: [Joiner] = []
  private var connections: [Connection] = []
  private var done = 0
  private var cpuBefore: UInt64 = 0
  private var residentBefore: UInt64 = 0
  private var digest: UInt64 = 0
  private var isLeaving = false

  init(_ flags: Flags, loop: EventLoop) {
    self.flags = flags
    self.loop = loop
    process = flags.pid.map { ProcessFigures(pid: $0) }
  }

  // MARK: Filling

  func start() {
    if flags.isFilled {
      begin()
    } else {
      filler = connect(tag: -1)
    }
  }

  private func connect(tag: Int) -> Connection {
    var options = WebSocketOptions()
    options.messageBytesMax = 64 << 20
    let connection = loop.connect(
      to: flags.endpoint(room: flags.room),
      subprotocols: [flags.encoding.subprotocol.description],
      options: options,
      handler: self
    )
    connection.tag = tag
    return connection
  }

  private func fill(as actor: Identifier) {
    var clock = Clock(actor: actor)
    var generator = SystemRandomNumberGenerator()
    let side = 200 * Double(flags.shapes).squareRoot()
    let wall = WallClock.milliseconds() - UInt64(flags.shapes)
    for index in 0..<flags.shapes {
      var set = Properties()
      set.kind = ShapeKind.allCases[index % ShapeKind.allCases.count]
      set.position = Point(x: tenths(side, &generator), y: tenths(side, &generator))
      set.size = Size(width: Double(Int.random(in: 20...400)), height: Double(Int.random(in: 20...400)))
      set.rotation = Double(Int.random(in: 0...359))
      set.fill = Color(packed: UInt32.random(in: 0..<(1 << 24)))
      set.stroke = Color(packed: UInt32.random(in: 0..<(1 << 24)))
      set.alpha = Int16.random(in: 1...10)
      set.z = OrderKey(Text("V\(index)V"))!
      let stamp = clock.tick(milliseconds: wall + UInt64(index))
      operations.append(ProposedOperation(shape: Identifier.random(using: &generator), at: stamp, set: set))
    }
    for _ in 0..<Joining.fillWindow { fillMore() }
  }

  private func tenths(_ bound: Double, _ generator: inout SystemRandomNumberGenerator) -> Double {
    (Double.random(in: 0..<bound, using: &generator) * 10).rounded() / 10
  }

  private func fillMore() {
    guard filled < operations.count else { return }
    let end = min(operations.count, filled + Joining.fillBatch)
    let id = MessageIdentifier(json: JSONText(UInt64(end)))
    filler?.send(flags.encoding.frame(.operations(Submission(id: id, operations: Array(operations[filled..<end])))))
    filled = end
  }

  private func fillAnswered(_ message: ServerMessage) {
    switch message {
    case .welcome(let welcome): fill(as: welcome.actor)
    case .acknowledgement(let acknowledgement):
      acknowledged = acknowledgement.id!.json.bytes.reduce(0) { $0 * 10 + Int($1) - 48 }
      if acknowledged == operations.count {
        loop.schedule(afterMilliseconds: 500) { self.filler?.send(self.flags.encoding.frame(.digest)) }
      } else {
        fillMore()
      }
    case .rejection(let rejection): Load.complain("refused: \(rejection.message.string)")
    case .digest(_, let hash):
      digest = hash
      begin()
    default: break
    }
  }

  // MARK: Joining

  private func begin() {
    residentBefore = process?.residentBytes ?? 0
    cpuBefore = process?.cpuNanoseconds ?? 0
    joiners = Array(repeating: Joiner(), count: flags.clients)
    if flags.areTogether {
      for index in joiners.indices { join(index) }
    } else {
      join(0)
    }
  }

  private func join(_ index: Int) {
    joiners[index].startedAt = SteadyClock.nanoseconds()
    joiners[index].cpu = process?.cpuNanoseconds ?? 0
    connections.append(connect(tag: index))
  }

  func connected(_ connection: Connection, request: Request) {
    connection.send(flags.encoding.frame(.hello(Hello())))
  }

  func received(_ message: Message, on connection: Connection) {
    let index = connection.tag
    if index < 0 {
      // The writer also gets its own operations back, and ignores them.
      guard let answer = try? flags.encoding.serverMessage(message.bytes) else { Load.complain("not understood") }
      return fillAnswered(answer)
    }
    guard joiners[index].allAfter == 0 else { return }
    let isRead = index == 0 || !flags.areTogether
    if !isRead {
      // All joiners get the same bytes, apart from the welcome. So the number of bytes tells how much of the state a
      // joiner has.
      joiners[index].bytes += message.bytes.count
      if message.bytes.count > 1_000, joiners[index].firstAfter == 0 {
        joiners[index].firstAfter = SteadyClock.nanoseconds() - joiners[index].startedAt
      }
      if joiners[0].allAfter > 0 { settleUnread() }
      return
    }
    guard let answer = try? flags.encoding.serverMessage(message.bytes) else { Load.complain("not understood") }
    guard case .operations(let delivery) = answer else { return }
    joiners[index].bytes += message.bytes.count
    if joiners[index].firstAfter == 0 {
      joiners[index].firstAfter = SteadyClock.nanoseconds() - joiners[index].startedAt
    }
    switch delivery.content {
    case .operations(let operations): for operation in operations { joiners[index].canvas.apply(operation) }
    case .state(let part): joiners[index].canvas.merge(part)
    }
    guard !delivery.more else { return }
    complete(index)
    if flags.areTogether { settleUnread() }
  }

  /// Completes the joins whose messages aren't decoded. Such a join is complete when it has as many bytes as the
  /// decoded join.
  private func settleUnread() {
    for index in joiners.indices.dropFirst()
    where joiners[index].allAfter == 0 && joiners[index].bytes >= joiners[0].bytes {
      complete(index)
    }
  }

  private func complete(_ index: Int) {
    joiners[index].allAfter = SteadyClock.nanoseconds() - joiners[index].startedAt
    done += 1
    if flags.areTogether {
      if done == joiners.count { finish() }
      return
    }
    guard flags.isFilled || joiners[index].canvas.digest == digest else { Load.complain("a joiner has another canvas") }
    joiners[index].canvas = Canvas(seed: 1)
    // Waits before reading the processor time, because the server still works after it has sent the last byte.
    loop.schedule(afterMilliseconds: 30) { [self] in
      joiners[index].cpu = (process?.cpuNanoseconds ?? 0) - joiners[index].cpu
      if done == joiners.count { finish() } else { join(index + 1) }
    }
  }

  func writable(_ connection: Connection) {}

  func closed(_ connection: Connection, closure: Closure) {
    if !isLeaving { Load.complain("a connection closed: \(closure)") }
  }

  private func finish() {
    isLeaving = true
    let cpu = Double((process?.cpuNanoseconds ?? 0) - cpuBefore) / 1e6
    func median(_ values: [UInt64]) -> Double { Double(values.sorted()[values.count / 2]) / 1e6 }
    let later = flags.areTogether ? joiners[...] : joiners.dropFirst(joiners.count > 1 ? 1 : 0)
    var result = ResultLine()
    result.add("shapes", flags.shapes)
    result.add("joiners", joiners.count)
    if flags.isFilled { result.add("shapesFound", joiners[0].canvas.liveCount) }
    result.add("stateBytes", joiners[0].bytes)
    result.add("firstJoinMilliseconds", Double(joiners[0].allAfter) / 1e6)
    result.add("firstByteMilliseconds", median(later.map(\.firstAfter)))
    result.add("firstByteMaxMilliseconds", Double(joiners.map(\.firstAfter).max()!) / 1e6)
    result.add("allMilliseconds", median(later.map(\.allAfter)))
    result.add("allMaxMilliseconds", Double(joiners.map(\.allAfter).max()!) / 1e6)
    result.add("cpuMillisecondsEach", cpu / Double(joiners.count))
    if !flags.areTogether {
      result.add("cpuMillisecondsFirst", Double(joiners[0].cpu) / 1e6)
      result.add("cpuMillisecondsLater", median(later.map(\.cpu)))
    }
    result.add("residentBeforeMegabytes", Double(residentBefore) / 1e6)
    result.add("residentAfterMegabytes", Double(process?.residentBytes ?? 0) / 1e6)
    Load.finish(result)
  }
}
