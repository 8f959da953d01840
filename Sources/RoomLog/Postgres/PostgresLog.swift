import Basics
import Glibc
import Synchronization

/// A log in a PostgreSQL database that several nodes share (postgresql.org/docs/15).
///
/// An append is reported once it is committed, also on the synchronous standbys if there are any. The database assigns
/// positions and times. Records that other nodes store in followed rooms are reported within some milliseconds.
///
/// While the database can't be reached or refuses writes, the log refuses appends as unavailable. It keeps trying to
/// connect, one host after another, and `.availability` reports when appends are possible again. If a connection breaks
/// during an append, the answer comes once it is certain whether the append is stored.
public final class PostgresLog: RoomLog, Bus {
  private let inbox: PostgresInbox
  private let shared: SharedFigures

  /// - Parameters:
  ///   - url: `postgresql://…`, in libpq's form.
  ///   - mayCreate: whether to create the tables, to upgrade them, and to store a secret. Without this, a database that
  ///     lacks the tables, or has older ones, is refused.
  ///   - secret: the secret to store, if the database has none yet.
  ///   - heard: receives what the bus brings, on the log's thread.
  /// - Throws: faults that are known without asking the database. Others are reported as events.
  public convenience init(
    _ url: String,
    retention: Retention = .everything,
    mayCreate: Bool = true,
    secret: [UInt8]? = nil,
    heard: @escaping BusSink = { _ in },
    sink: @escaping LogSink
  ) throws(StorageFault) {
    try self.init(
      url,
      retention: retention,
      mayCreate: mayCreate,
      secret: secret,
      resolve: HostNames.system,
      heard: heard,
      sink: sink
    )
  }

  /// - Parameters:
  ///   - resolve: looks up the addresses of a host.
  ///   - defaults: values for parameters that the URL leaves out. `nil` uses libpq's own.
  ///   - clock: this machine's clock, in Unix milliseconds.
  init(
    _ url: String,
    retention: Retention = .everything,
    mayCreate: Bool = true,
    secret: [UInt8]? = nil,
    resolve: @escaping HostNames.Resolve,
    defaults: [String: String]? = nil,
    queueBytesMax: Int = RequestQueue.standardBytesMax,
    clock: @escaping @Sendable () -> UInt64 = WallClock.milliseconds,
    heard: @escaping BusSink = { _ in },
    sink: @escaping LogSink
  ) throws(StorageFault) {
    let library = try PostgresLibrary()
    let address = PostgresAddress(url, defaults: defaults ?? library.defaults)
    let mistake = address.mistake(parameters: library.parameters)
    guard mistake == nil, library.reads(url) else {
      throw .unfit(
        "the database's address can't be read\(mistake.map { ": \($0)" } ?? ""); "
          + "it is like postgresql://USER@HOST:5432/DATABASE?sslmode=verify-full"
      )
    }
    let inbox = try PostgresInbox(bytesMax: queueBytesMax)
    let shared = SharedFigures()
    let outlet = Outlet(sink: sink)
    let names = HostNames(resolve, woken: { inbox.wake() })
    let offered = secret ?? (0..<32).map { _ in UInt8.random(in: 0...255) }
    let thread = try SystemThread.ofLog {
      PostgresNode(
        address: address,
        names: names,
        library: library,
        retention: retention,
        inbox: inbox,
        outlet: outlet,
        heard: heard,
        shared: shared,
        mayCreate: mayCreate,
        secret: offered,
        clock: clock
      ).run()
    }
    thread.detach()
    self.inbox = inbox
    self.shared = shared
  }

  deinit { close() }

  public static func isAddress(_ text: String) -> Bool { PostgresAddress.isOne(text) }
  /// Why a text that looks like a database URL is not valid. `nil` if it is valid, or doesn't look like one.
  public static func mistake(in place: String) -> String? { PostgresAddress.mistake(in: place) }
  public static func hasPassword(_ url: String) -> Bool { PostgresAddress(url).hasPassword }
  /// The address for messages, without the password.
  public static func name(of url: String) -> String { PostgresAddress(url).description }

  public func submit(_ requests: [LogRequest]) { inbox.queue.add(requests) }
  public func tell(_ message: [UInt8]) { inbox.add(message) }

  public func statistics() -> LogStatistics {
    var statistics = shared.statistics
    statistics.queuedBytes = inbox.queue.queuedBytes
    return statistics
  }

  public func close() { inbox.queue.close() }
}

/// The requests and messages for the log's thread. Adding one makes a descriptor readable, so that the thread can poll
/// it together with its sockets.
final class PostgresInbox: Sendable {
  /// A request counts as queued until it is answered, even after the thread has taken it.
  let queue: RequestQueue
  private let messages = Mutex<(waiting: [[UInt8]], bytes: Int)>(([], 0))
  private let bell: Bell
  /// Readable when there are requests or messages.
  var descriptor: Int32 { bell.descriptor }

  private final class Bell: Sendable {
    let descriptor: Int32
    private let handle: Int32

    init?() {
      var ends: [Int32] = [-1, -1]
      guard pipe(&ends) == 0 else { return nil }
      for end in ends {
        _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        _ = fcntl(end, F_SETFL, O_NONBLOCK)
      }
      descriptor = ends[0]
      handle = ends[1]
    }

    deinit {
      Glibc.close(descriptor)
      Glibc.close(handle)
    }

    /// A full pipe wakes its reader anyway, so a failed write doesn't matter.
    func ring() { _ = write(handle, [1], 1) }

    func fallSilent() {
      var rings = [UInt8](repeating: 0, count: 1_024)
      while Glibc.read(descriptor, &rings, rings.count) == rings.count {}
    }
  }

  init(bytesMax: Int) throws(StorageFault) {
    guard let bell = Bell() else { throw .outOfMemory }
    self.bell = bell
    queue = RequestQueue(bytesMax: bytesMax, woken: { bell.ring() })
  }

  /// A message that doesn't fit is dropped, because messages may get lost.
  func add(_ message: [UInt8]) {
    messages.withLock { messages in
      guard messages.waiting.count < PostgresInbox.messagesMax,
        messages.waiting.isEmpty || messages.bytes + message.count <= PostgresInbox.messagesBytesMax
      else { return }
      messages.waiting.append(message)
      messages.bytes += message.count
    }
    wake()
  }

  /// The hub makes at most one message in an iteration of its loop, and the log's thread never waits for long.
  private static let messagesMax = 256
  static let messagesBytesMax = 16 << 20

  /// Wakes the log's thread.
  func wake() { bell.ring() }

  func take() -> (entries: [RequestQueue.Entry], isClosed: Bool) {
    bell.fallSilent()
    return queue.take(deadline: 0)
  }

  func takeMessages() -> [[UInt8]] {
    messages.withLock { messages in
      defer { messages = ([], 0) }
      return messages.waiting
    }
  }
}
