import CanvasCRDT
import Glibc
import WebSocketLoop

/// Measures idle connections, which join and then send nothing. Then waves of connections come and go, which shows
/// whether the server frees their memory.
///
/// `@unchecked Sendable`: everything runs on the event loop's thread.
final class Idling: ConnectionHandler, @unchecked Sendable {
  private static let connectingMax = 200

  let flags: Flags
  let loop: EventLoop
  private let process: ProcessFigures
  private var open: [UInt64: Connection] = [:]
  private var wanted = 0
  private var begun = 0
  private var ready = 0
  private var isLeaving = false
  private var whenReady: () -> Void = {}
  private var whenGone: () -> Void = {}
  private var waves = 0
  private var residentBefore: UInt64 = 0
  private var residentIdle: UInt64 = 0
  private var residentSettled: UInt64 = 0
  private var cpuAtIdle: UInt64 = 0
  private var cpuJoining: UInt64 = 0
  private var cpuShare = 0.0
  private var afterWaves: [Double] = []

  init(_ flags: Flags, loop: EventLoop) {
    self.flags = flags
    self.loop = loop
    guard let pid = flags.pid else { Load.complain("idle needs --pid") }
    process = ProcessFigures(pid: pid)
  }

  func start() {
    residentBefore = process.residentBytes
    let before = process.cpuNanoseconds
    join(flags.clients) { [self] in
      residentIdle = process.residentBytes
      cpuJoining = process.cpuNanoseconds - before
      // Waits, because the server is still telling each client who else is in the room.
      loop.schedule(afterMilliseconds: 2_000) { self.rest() }
    }
  }

  private func rest() {
    residentSettled = process.residentBytes
    cpuAtIdle = process.cpuNanoseconds
    loop.schedule(afterMilliseconds: UInt64(flags.seconds * 1_000)) { [self] in
      cpuShare = Double(process.cpuNanoseconds - cpuAtIdle) / flags.seconds / 1e9
      leave { self.nextWave() }
    }
  }

  private func nextWave() {
    // Waits until the server has returned freed memory to the system. It does so one second after many connections have
    // gone.
    loop.schedule(afterMilliseconds: 1_500) { [self] in
      afterWaves.append(Double(process.residentBytes) / 1e6)
      guard waves < flags.waves else { return finish() }
      waves += 1
      join(flags.wave) { self.leave { self.nextWave() } }
    }
  }

  private func join(_ count: Int, then: @escaping () -> Void) {
    wanted = count
    begun = 0
    ready = 0
    isLeaving = false
    whenReady = then
    for _ in 0..<min(Idling.connectingMax, count) { openOne() }
  }

  private func openOne() {
    guard begun < wanted else { return }
    let connection = loop.connect(
      to: flags.endpoint(room: flags.roomName(begun % flags.rooms)),
      subprotocols: [flags.encoding.subprotocol.description],
      handler: self
    )
    begun += 1
    open[connection.identifier] = connection
  }

  private func leave(then: @escaping () -> Void) {
    isLeaving = true
    whenGone = then
    for connection in open.values { connection.close(code: 1_000) }
  }

  func connected(_ connection: Connection, request: Request) {
    connection.send(flags.encoding.frame(.hello(Hello())))
  }

  func received(_ message: Message, on connection: Connection) {
    // The room is empty, so the first message of operations is the whole state and completes the join. Later messages
    // only tell about other clients.
    guard connection.tag == 0, case .operations? = try? flags.encoding.serverMessage(message.bytes) else { return }
    connection.tag = 1
    ready += 1
    openOne()
    if ready == wanted { whenReady() }
  }

  func writable(_ connection: Connection) {}

  func closed(_ connection: Connection, closure: Closure) {
    open[connection.identifier] = nil
    if !isLeaving { Load.complain("a connection closed: \(closure)") }
    if open.isEmpty { whenGone() }
  }

  private func finish() {
    var result = ResultLine()
    result.add("connections", flags.clients)
    result.add("rooms", flags.rooms)
    result.add("bytesEach", (Double(residentSettled) - Double(residentBefore)) / Double(flags.clients))
    result.add("residentBeforeMegabytes", Double(residentBefore) / 1e6)
    result.add("residentIdleMegabytes", Double(residentSettled) / 1e6)
    result.add("residentAtLastJoinMegabytes", Double(residentIdle) / 1e6)
    result.add("cpuShareIdle", cpuShare)
    result.add("cpuMicrosecondsEachJoin", Double(cpuJoining) / Double(flags.clients) / 1e3)
    result.add("residentAfterWavesMegabytes", afterWaves)
    Load.finish(result)
  }
}
