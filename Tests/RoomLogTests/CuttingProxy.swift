import Basics
import Glibc
import Synchronization
import Testing

@testable import RoomLog

/// Where a connection is cut.
struct Cut: Hashable, Sendable {
  enum Way: Hashable, Sendable {
    /// The connection is cut within the request. The database never gets the part after the cut.
    case request
    /// The connection is cut in the middle of the answer. The database has carried out the request, but the client
    /// doesn't learn that.
    case answer
  }

  /// Only a request that begins with this prepared statement is cut.
  var statement = "begin"
  var way: Way
  /// How many bytes of the request or answer still get through.
  var place: Int
  /// Whether the connection stays open at the cut, but carries no more bytes of the request, as if the client hung.
  var isSilence = false
  /// What the client still gets in place of the rest of the answer.
  var garbage: [UInt8] = []
}

/// A proxy between logs and their database, which cuts connections within a request or its answer. A test can plan
/// cuts. The proxy can also cut one in a number of commits, each time at another offset.
///
/// The proxy's own thread carries all bytes. All other functions may be called from any thread.
final class CuttingProxy: Sendable {
  private struct State {
    var planned: [Cut] = []
    var made: [Cut] = []
    var commits = 0
    /// The proxy forwards nothing on connections whose client has this application name.
    var held: String?
    /// Connections whose client has this application name carry requests, but no answers.
    var unanswered: String?
    /// How often `held` or `unanswered` has changed. `changesSeen` counts the changes that the proxy's thread has seen.
    var changes = 0
    var changesSeen = 0
    /// Whether an answer is being held back on one of the `unanswered` connections.
    var holdsAnswer = false
    var isOver = false
  }

  private let state = Mutex(State())
  private let commitsBetweenCuts: Int?
  private let listener: Int32
  private let port: UInt16
  private let databasePort: UInt16
  /// The two ends of a pipe. Writing to it wakes the thread.
  private let bell: [Int32]
  private let thread = Mutex<SystemThread?>(nil)

  /// - Parameters:
  ///   - url: the URL of the database.
  ///   - commitsBetweenCuts: `nil` for a proxy that makes only planned cuts.
  init(to url: String, commitsBetweenCuts: Int?) throws {
    self.commitsBetweenCuts = commitsBetweenCuts
    databasePort = try #require(PostgresAddress(url).hosts.first.flatMap { UInt16($0.port) }, "\(url)")
    listener = try #require(Loopback.listen(), "no socket")
    port = Loopback.port(of: listener)
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    bell = ends
    let started = try SystemThread { self.run() }
    thread.withLock { $0 = started }
  }

  /// The database's URL with the proxy as its host, repeated several times. A log tries the next host at once, and
  /// pauses only after the last one, so repeating the host saves pauses.
  func address(of url: String) -> String {
    let hosts = [String](repeating: "127.0.0.1:\(port)", count: 64).joined(separator: ",")
    let (start, name) = (url.prefix { $0 != "@" }, url.split(separator: "/").last ?? "")
    // Encryption is off, because the proxy has to find statements in the bytes.
    return "\(start)@\(hosts)/\(name)?sslmode=disable&gssencmode=disable"
  }

  /// Sets the cuts that the proxy will make, one after another.
  func cut(_ cuts: [Cut]) { state.withLock { $0.planned = cuts } }

  /// The cuts that were made, in order.
  var cuts: [Cut] { state.withLock { $0.made } }

  /// Until `hold(nil)` is called, the proxy forwards nothing on connections whose client has this application name.
  func hold(_ name: String?) { change { $0.held = name } }

  /// Until `holdAnswers(nil)` is called, connections whose client has this application name carry requests but no
  /// answers.
  func holdAnswers(_ name: String?) { change { $0.unanswered = name } }

  /// Makes a change, and waits until the thread has seen it. Until then the thread can still carry bytes.
  private func change(_ change: (inout State) -> Void) {
    let number = state.withLock { state in
      change(&state)
      state.changes += 1
      return state.changes
    }
    wake()
    while state.withLock({ $0.changesSeen < number && !$0.isOver }) { usleep(200) }
  }

  /// Waits until the database has sent an answer that the proxy holds back.
  func untilAnswerIsHeld() throws {
    for _ in 0..<10_000 where !state.withLock({ $0.holdsAnswer }) {
      wake()
      usleep(2_000)
    }
    try #require(state.withLock { $0.holdsAnswer }, "the database has answered nothing")
  }

  func end() {
    state.withLock { $0.isOver = true }
    wake()
    thread.withLock { thread in
      thread?.join()
      thread = nil
    }
  }

  private func wake() { _ = write(bell[1], [1], 1) }

  // MARK: Offsets of the cuts

  /// The byte offsets of the next cuts within commits. All proxies of this process share them, and each cut moves its
  /// offset so far that a few cuts cover the whole commit.
  private static let places = Mutex<[Cut.Way: Int]>([.request: 0, .answer: 0])
  private static let step = 41

  private func planned(for statement: String) -> Cut? {
    state.withLock { state in
      if statement == "begin" { state.commits += 1 }
      if let first = state.planned.first {
        guard first.statement == statement else { return nil }
        return state.planned.removeFirst()
      }
      guard statement == "begin", let commitsBetweenCuts, state.commits % commitsBetweenCuts == 0 else { return nil }
      let way: Cut.Way = state.commits / commitsBetweenCuts % 2 == 0 ? .answer : .request
      return Cut(way: way, place: CuttingProxy.places.withLock { $0[way] ?? 0 })
    }
  }

  private func note(_ cut: Cut) {
    state.withLock { $0.made.append(cut) }
    CuttingProxy.places.withLock { $0[cut.way, default: 0] += CuttingProxy.step }
  }

  /// Remembers that a planned cut was impossible, because the request or answer was shorter than the cut's offset.
  private func noteMissed(_ cut: Cut) {
    CuttingProxy.places.withLock { $0[cut.way] = (cut.place + 1) % CuttingProxy.step }
  }

  // MARK: The thread

  private func run() {
    var lines: [ProxiedLine] = []
    while !state.withLock({ $0.isOver }) {
      let (held, unanswered) = state.withLock { state in
        state.changesSeen = state.changes
        return (state.held, state.unanswered)
      }
      let moving = lines.filter { held == nil || $0.name != held }
      for line in moving { line.carriesAnswers = unanswered == nil || line.name != unanswered }
      let holdsAnswer = lines.contains { $0.holdsAnswer }
      state.withLock { $0.holdsAnswer = holdsAnswer }
      var waited = [listener, bell[0]].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      for line in moving { waited += line.waited }
      poll(&waited, nfds_t(waited.count), -1)
      for (index, line) in moving.enumerated() {
        line.turn(client: waited[index * 2 + 2].revents, server: waited[index * 2 + 3].revents)
      }
      lines.removeAll { $0.isOver }
      var rings = [UInt8](repeating: 0, count: 64)
      while read(bell[0], &rings, rings.count) > 0 {}
      if waited[0].revents != 0, let client = Loopback.accept(listener) {
        if let server = Loopback.connect(databasePort) {
          lines.append(ProxiedLine(client, server, planned: planned, made: note, missed: noteMissed))
        } else {
          close(client)
        }
      }
    }
    for line in lines { line.end() }
    for descriptor in [listener] + bell { close(descriptor) }
  }
}

/// Non-blocking sockets on the loopback interface that child processes don't inherit.
enum Loopback {
  private static let kind = Int32(SOCK_STREAM.rawValue)

  /// - Parameter backlog: how many connections may wait to be accepted. The kernel allows one more.
  static func listen(backlog: Int32 = 64) -> Int32? {
    let descriptor = socket(AF_INET, kind, 0)
    guard descriptor >= 0 else { return nil }
    guard with(port: 0, { bind(descriptor, $0, $1) }) == 0, Glibc.listen(descriptor, backlog) == 0 else {
      close(descriptor)
      return nil
    }
    return made(descriptor)
  }

  static func port(of descriptor: Int32) -> UInt16 {
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &address) { address in
      _ = address.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
    }
    return UInt16(bigEndian: address.sin_port)
  }

  /// - Parameter waits: whether to wait until the connection is established.
  static func connect(_ port: UInt16, waits: Bool = true) -> Int32? {
    let descriptor = socket(AF_INET, kind, 0)
    guard descriptor >= 0 else { return nil }
    if !waits { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }
    guard with(port: port, { Glibc.connect(descriptor, $0, $1) }) == 0 || (!waits && errno == EINPROGRESS) else {
      close(descriptor)
      return nil
    }
    return made(descriptor)
  }

  static func accept(_ listener: Int32) -> Int32? {
    let descriptor = Glibc.accept(listener, nil, nil)
    return descriptor < 0 ? nil : made(descriptor)
  }

  private static func with(port: UInt16, _ use: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { use($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
    }
  }

  private static func made(_ descriptor: Int32) -> Int32 {
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    var yes: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
    return descriptor
  }
}
