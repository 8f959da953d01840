import Glibc
import Synchronization

/// Keeps rooms in a PostgreSQL database that several nodes share (postgresql.org/docs/15).
///
/// What is reported as appended has been committed, and if the database has synchronous standbys, by them too. Positions and
/// times are the database's. Whatever another node stores in a room that is followed here is reported within some
/// milliseconds.
///
/// While the database can't be reached or takes no writes, appends are refused as unavailable. The log goes on trying, one
/// host after the other, and `.availability` reports when it is back. An append that was under way when a connection broke
/// is answered once it is certain whether it is stored.
public final class PostgresLog: RoomLog {
  private let inbox: PostgresInbox
  private let shared: SharedFigures
  /// Bytes that nobody can guess, the same for all nodes.
  public let secret: [UInt8]

  /// Reaches the database and brings its tables to the newest version. All this is done before it returns.
  /// - Parameters:
  ///   - url: `postgresql://…`, as libpq takes it.
  ///   - secret: what `secret` is to be, if no node has offered another before.
  ///   - waits: is told why the database can't be reached yet. It is tried until it can be.
  ///   - meanwhile: is called again and again until then, on the caller's thread.
  /// - Throws: where it makes no sense to try again.
  public init(
    _ url: String,
    retention: Retention = .everything,
    secret: [UInt8]? = nil,
    waits: @escaping @Sendable (StorageFault) -> Void = { _ in },
    meanwhile: () -> Void = {},
    sink: @escaping LogSink
  ) throws(StorageFault) {
    let library = try PostgresLibrary()
    guard library.reads(url) else {
      throw .unfit(
        "the database's address can't be read; it is like postgresql://USER@HOST:5432/DATABASE?sslmode=verify-full"
      )
    }
    let inbox = try PostgresInbox()
    let shared = SharedFigures()
    let opening = PostgresOpening(waits)
    let outlet = Outlet(sink: sink)
    let address = PostgresAddress(url)
    let offered = secret ?? (0..<32).map { _ in UInt8.random(in: 0...255) }
    let thread = try LogThread {
      PostgresNode(
        address: address,
        library: library,
        retention: retention,
        inbox: inbox,
        outlet: outlet,
        shared: shared,
        opening: opening,
        secret: offered
      ).run()
    }
    thread.detach()
    self.inbox = inbox
    self.shared = shared
    do throws(StorageFault) {
      self.secret = try opening.wait(meanwhile)
    } catch {
      inbox.close()
      throw error
    }
  }

  deinit { inbox.close() }

  public static func isAddress(_ text: String) -> Bool { PostgresAddress.isOne(text) }
  public static func hasPassword(_ url: String) -> Bool { PostgresAddress(url).hasPassword }
  /// Where the rooms are, without a password.
  public static func name(of url: String) -> String { PostgresAddress(url).description }

  public func submit(_ requests: [LogRequest]) { inbox.add(requests) }

  public func statistics() -> LogStatistics {
    var statistics = shared.statistics
    (statistics.queuedBytes, statistics.snapshotBytesWaiting) = inbox.waiting
    return statistics
  }

  public func close() { inbox.close() }
}

/// What a log is asked, on its way to the log's thread. The thread waits for a descriptor, as it does for its sockets.
final class PostgresInbox: Sendable {
  private let queue: RequestQueue
  private let bell: Bell
  /// Can be read when there is something to be taken.
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

    /// A pipe that is full rings already.
    func ring() { _ = write(handle, [1], 1) }

    func fallSilent() {
      var rings = [UInt8](repeating: 0, count: 1_024)
      while Glibc.read(descriptor, &rings, rings.count) == rings.count {}
    }
  }

  init() throws(StorageFault) {
    guard let bell = Bell() else { throw .outOfMemory }
    self.bell = bell
    queue = RequestQueue(woken: { bell.ring() })
  }

  func add(_ requests: [LogRequest]) { queue.add(requests) }
  func close() { queue.close() }

  func take() -> (entries: [RequestQueue.Entry], isClosed: Bool) {
    bell.fallSilent()
    return queue.take(deadline: 0)
  }

  /// Requests that were taken count as queued until they are answered.
  func release(_ request: LogRequest) { queue.release([request]) }
  var waiting: (bytes: Int, snapshotBytes: Int) { queue.waiting }
}

/// Lets whoever opens a log wait for the database.
final class PostgresOpening: Sendable {
  private struct State {
    var outcome: Result<[UInt8], StorageFault>?
    var told: StorageFault?
  }

  private let state = Mutex(State())
  private let waits: @Sendable (StorageFault) -> Void

  init(_ waits: @escaping @Sendable (StorageFault) -> Void) { self.waits = waits }

  func isOpen(secret: [UInt8]) { end(.success(secret)) }

  /// The database can't be reached, or not be used. Each reason is told once.
  func failed(_ fault: StorageFault) {
    if case .unfit = fault { return end(.failure(fault)) }
    let isNew = state.withLock { state in
      defer { state.told = fault }
      return state.told != fault
    }
    if isNew { waits(fault) }
  }

  private func end(_ result: Result<[UInt8], StorageFault>) {
    state.withLock { if $0.outcome == nil { $0.outcome = result } }
  }

  /// Looks every few milliseconds: a process does this once.
  func wait(_ meanwhile: () -> Void) throws(StorageFault) -> [UInt8] {
    while true {
      if let outcome = state.withLock({ $0.outcome }) { return try outcome.get() }
      meanwhile()
      usleep(5_000)
    }
  }
}
