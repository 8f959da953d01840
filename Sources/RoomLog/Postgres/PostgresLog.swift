import Glibc

/// A log in a PostgreSQL database that several nodes share (postgresql.org/docs/15).
///
/// A reported append has been committed, also on the synchronous standbys if the database has any. Positions and times
/// are given by the database. Records that other nodes store in followed rooms are reported within some milliseconds.
///
/// While the database can't be reached or refuses writes, appends are refused as unavailable. The log goes on trying,
/// one host after the other, and `.availability` reports when appends can be stored again. An append that was under way
/// when a connection broke is answered once it is certain whether it is stored.
public final class PostgresLog: RoomLog {
  private let inbox: PostgresInbox
  private let shared: SharedFigures

  /// - Parameters:
  ///   - url: `postgresql://…`, in libpq's form.
  ///   - secret: the secret to store, unless a node has stored one before.
  /// - Throws: faults that are known without asking the database. All others are reported as events.
  public convenience init(
    _ url: String,
    retention: Retention = .everything,
    secret: [UInt8]? = nil,
    sink: @escaping LogSink
  ) throws(StorageFault) {
    try self.init(url, retention: retention, secret: secret, resolve: HostNames.system, sink: sink)
  }

  /// - Parameters:
  ///   - resolve: finds the addresses of a host.
  ///   - defaults: the values for parameters that the URL leaves out. `nil` for libpq's own defaults.
  ///   - clock: this machine's clock, in Unix milliseconds.
  init(
    _ url: String,
    retention: Retention = .everything,
    secret: [UInt8]? = nil,
    resolve: @escaping HostNames.Resolve,
    defaults: [String: String]? = nil,
    queueBytesMax: Int = RequestQueue.standardBytesMax,
    clock: @escaping @Sendable () -> UInt64 = UnixClock.milliseconds,
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
    let thread = try LogThread {
      PostgresNode(
        address: address,
        names: names,
        library: library,
        retention: retention,
        inbox: inbox,
        outlet: outlet,
        shared: shared,
        secret: offered,
        clock: clock
      ).run()
    }
    thread.detach()
    self.inbox = inbox
    self.shared = shared
  }

  deinit { inbox.close() }

  public static func isAddress(_ text: String) -> Bool { PostgresAddress.isOne(text) }
  /// What is wrong with a value that was meant as a database's address. `nil` if the value is a valid address, or was
  /// not meant as one.
  public static func mistake(in place: String) -> String? { PostgresAddress.mistake(in: place) }
  public static func hasPassword(_ url: String) -> Bool { PostgresAddress(url).hasPassword }
  /// The database's address, without a password.
  public static func name(of url: String) -> String { PostgresAddress(url).description }

  public func submit(_ requests: [LogRequest]) { inbox.add(requests) }

  public func statistics() -> LogStatistics {
    var statistics = shared.statistics
    (statistics.queuedBytes, statistics.snapshotBytesWaiting) = inbox.waiting
    return statistics
  }

  public func close() { inbox.close() }
}

/// Requests on their way to the log's thread. They make a descriptor readable, so that the thread can wait for them
/// together with its sockets.
final class PostgresInbox: Sendable {
  private let queue: RequestQueue
  private let bell: Bell
  /// Becomes readable when there are requests.
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

    /// If the pipe is full, its reader has not woken yet, and will without another byte.
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

  func add(_ requests: [LogRequest]) { queue.add(requests) }
  func close() { queue.close() }
  /// Wakes the log's thread.
  func wake() { bell.ring() }

  func take() -> (entries: [RequestQueue.Entry], isClosed: Bool) {
    bell.fallSilent()
    return queue.take(deadline: 0)
  }

  /// A request counts as queued even after it was taken, until it is answered. Then it is released here.
  func release(_ request: LogRequest) { queue.release([request]) }
  var waiting: (bytes: Int, snapshotBytes: Int) { queue.waiting }
}
