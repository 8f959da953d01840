import Basics
import CanvasCRDT
import Glibc
import WebSocketLoop

/// Measures what it costs when many people move their cursors in one room, and how often each cursor arrives at other
/// people.
///
/// Only a few clients decode their messages. For all others, only the bytes are counted.
///
/// `@unchecked Sendable`: everything runs on the event loop's thread.
final class Showing: ConnectionHandler, @unchecked Sendable {
  private static let connectingMax = 200
  private static let readersMax = 4
  private static let warmMilliseconds: UInt64 = 2_000

  let flags: Flags
  let loop: EventLoop
  private let process: ProcessFigures
  private var clients: [Connection] = []
  private var isLive: [Bool]
  private var opened = 0
  private var live = 0
  private var isShowing = false
  private var isMeasuring = false
  private var steps = 0
  /// The times at which the presence states of each step were sent. The index is the step number, which each state
  /// contains.
  private var shownAt: [UInt64] = []
  private var bytes: [UInt64]
  private var messages: UInt64 = 0
  /// For each reader, how often it has seen each of the other clients.
  private var seen: [[Identifier: Int]]
  private var age = Percentiles()
  private var cpuAtStart: UInt64 = 0
  private var ownAtStart: UInt64 = 0
  private var startedAt: UInt64 = 0

  init(_ flags: Flags, loop: EventLoop) {
    self.flags = flags
    self.loop = loop
    guard let pid = flags.pid else { Load.complain("cursors needs --pid") }
    process = ProcessFigures(pid: pid)
    isLive = Array(repeating: false, count: flags.clients)
    bytes = Array(repeating: 0, count: flags.clients)
    seen = Array(repeating: [:], count: min(Showing.readersMax, flags.clients))
  }

  func start() { for _ in 0..<min(Showing.connectingMax, flags.clients) { open() } }

  private func open() {
    guard opened < flags.clients else { return }
    let connection = loop.connect(
      to: flags.endpoint(room: flags.room),
      subprotocols: [flags.encoding.subprotocol.description],
      handler: self
    )
    connection.tag = opened
    clients.append(connection)
    opened += 1
  }

  // MARK: Connections

  func connected(_ connection: Connection, request: Request) {
    connection.send(flags.encoding.frame(.hello(Hello())))
  }

  func received(_ message: Message, on connection: Connection) {
    let index = connection.tag
    if isMeasuring {
      bytes[index] += UInt64(message.bytes.count)
      messages += 1
    }
    guard !isLive[index] || index < seen.count else { return }
    do throws(MessageError) {
      switch try flags.encoding.serverMessage(message.bytes) {
      case .operations(let delivery) where !delivery.more && !isLive[index]: becameLive(index)
      case .presence(let states) where isMeasuring: note(states, by: index)
      default: break
      }
    } catch {
      Load.complain("not understood: \(error)")
    }
  }

  func writable(_ connection: Connection) {}

  func closed(_ connection: Connection, closure: Closure) { Load.complain("a connection closed: \(closure)") }

  private func becameLive(_ index: Int) {
    isLive[index] = true
    live += 1
    open()
    guard live == flags.clients else { return }
    isShowing = true
    show(0)
    loop.schedule(afterMilliseconds: Showing.warmMilliseconds) { self.measure() }
  }

  private func note(_ states: [PeerState], by reader: Int) {
    let now = SteadyClock.nanoseconds()
    for state in states {
      seen[reader][state.actor, default: 0] += 1
      if let step = Showing.step(of: state.state), shownAt.indices.contains(step) { age.add(now - shownAt[step]) }
    }
  }

  // MARK: Cursors

  /// A third of the people send at a time, so that messages are spread over the interval.
  private func show(_ part: Int) {
    guard isShowing else { return }
    shownAt.append(SteadyClock.nanoseconds())
    let state = Showing.state(steps)
    steps += 1
    for index in stride(from: part, to: clients.count, by: 3) {
      clients[index].send(flags.encoding.frame(.presence(state)))
    }
    loop.schedule(afterMilliseconds: UInt64((1_000 / flags.rate / 3).rounded())) { self.show((part + 1) % 3) }
  }

  /// A presence state as long as the page's, with coordinates in tenths.
  private static func state(_ step: Int) -> JSONText {
    let text = #"{"cursor":[\#(step % 9_000 + 1_000).5,\#(step / 9_000 + 100).5]}"#
    guard let state = Array(text.utf8).withUnsafeBytes({ try? JSONText(validating: $0, maximumBytes: 64) }) else {
      Load.complain("no JSON: \(text)")
    }
    return state
  }

  private static func step(of state: JSONText) -> Int? {
    let numbers = state.bytes.split { !(48...57).contains($0) }.map { $0.reduce(0) { $0 * 10 + Int($1) - 48 } }
    return numbers.count == 4 ? numbers[0] - 1_000 + (numbers[2] - 100) * 9_000 : nil
  }

  // MARK: The result

  private func measure() {
    isMeasuring = true
    cpuAtStart = process.cpuNanoseconds
    ownAtStart = ProcessFigures(pid: Int(getpid())).cpuNanoseconds
    startedAt = SteadyClock.nanoseconds()
    loop.schedule(afterMilliseconds: UInt64(flags.seconds * 1_000)) { self.finish() }
  }

  private func finish() {
    let seconds = Double(SteadyClock.nanoseconds() - startedAt) / 1e9
    // If a reader has never seen a client, its count is 0.
    let counts = seen.flatMap { seen in
      seen.values.map { Double($0) / seconds } + Array(repeating: 0, count: max(0, clients.count - 1 - seen.count))
    }
    var result = ResultLine()
    result.add("clients", flags.clients)
    result.add("seenPerSecondLeast", counts.min() ?? 0)
    result.add("seenPerSecondMean", counts.reduce(0, +) / Double(max(1, counts.count)))
    result.add("kilobytesPerSecondMost", Double(bytes.max() ?? 0) / seconds / 1e3)
    result.add("messagesPerSecondEach", Double(messages) / seconds / Double(clients.count))
    result.add("cpuShare", Double(process.cpuNanoseconds - cpuAtStart) / seconds / 1e9)
    result.add("ownCpuShare", Double(ProcessFigures(pid: Int(getpid())).cpuNanoseconds - ownAtStart) / seconds / 1e9)
    result.add("age", nanoseconds: age)
    Load.finish(result)
  }
}
