import Basics
import Glibc

/// One connection to the database, used on the log's thread. It never blocks: `turn` does what can be done now, and
/// then `descriptor` and `events` tell the caller what to poll for.
///
/// A request is a list of statements, all of which are carried out, or none. Requests are pipelined: they are sent
/// without waiting for earlier answers, and answered in order.
///
/// What always holds:
/// - Each request is answered once: with the rows of each statement, with the database's refusal, or with `.lost`.
/// - A link that is not ready takes no requests.
/// - What is read over a link is durable on the standbys too, because each new link first makes a commit that waits for
///   them.
/// - A lost connection is noticed even if the link is idle.
final class PostgresLink {
  typealias Answer = (_ answer: Result<[PostgresRows], PostgresFailure>) -> Void

  private enum State {
    case away(until: UInt64)
    /// The host's address is being looked up.
    case resolving(HostNames.Lookup, deadline: UInt64)
    case connecting(deadline: UInt64)
    /// Checking the database's settings, and preparing statements.
    case settingUp
    case ready
  }

  private struct Request {
    let statements: Int
    let deadline: UInt64
    let answer: Answer
    var rows: [PostgresRows] = []
    var refusal: PostgresFailure?
  }

  let name: String
  private let library: PostgresLibrary
  private let address: PostgresAddress
  private let names: HostNames
  /// The statements to prepare before the link counts as ready.
  let statements: [PostgresStatement]
  /// Carries out the steps that make a new connection ready.
  private let setUp: (PostgresLink) -> Void
  private let told: (PostgresLink, News) -> Void

  enum News {
    case ready
    /// The link was ready, and its connection is lost.
    case lost(StorageFault)
    /// The link was not ready, and the try to make it ready failed.
    case failed(StorageFault)
    /// The link has been idle for a while. The owner should send something, to test the connection.
    case quiet
    case notified(channel: String, process: Int32, payload: String)
  }

  private var state: State
  private var connection: PostgresLibrary.Connection?
  /// The socket events that libpq waits for while it connects.
  private var polling: Int32 = 0
  /// Whether the socket has had an event since libpq was last called. If it hasn't, a call would block.
  private var hasMoved = false
  /// Sent requests without an answer, oldest first.
  private var requests = Fifo<Request>()
  /// Whether libpq has bytes to send that the socket doesn't take yet.
  private var hasUnflushed = false
  /// When the connection last sent or received bytes.
  private var movedAt: UInt64 = 0
  private(set) var turns: HostTurns
  /// The timeline of the connected database. Set by the owner.
  var timeline: PostgresTimeline?
  /// Since when the link has not been ready, and why. `nil` while it is ready or connects for the first time.
  private(set) var absence: Absence?

  struct Absence {
    let since: UInt64
    let fault: StorageFault
  }

  private let notices: PostgresNotices

  /// How long the database may stay silent before the connection is given up, because its machine may have stopped.
  static let answerMicroseconds: UInt64 = 5_000_000
  /// How long to try one address of a host, including the look-up of the host's name.
  static let connectMicroseconds: UInt64 = 1_000_000
  private static let retryMicroseconds: UInt64 = 200_000
  /// An additional pause before the next try, after a fault that probably lasts, such as a read-only database.
  private static let lastingMicroseconds: UInt64 = 2_000_000
  /// How long a connection may be idle before it is tested. A broken connection can look like an idle one.
  private static let quietMicroseconds: UInt64 = 2_000_000

  init(
    _ name: String,
    _ address: PostgresAddress,
    _ names: HostNames,
    _ library: PostgresLibrary,
    statements: [PostgresStatement],
    setUp: @escaping (PostgresLink) -> Void,
    told: @escaping (PostgresLink, News) -> Void
  ) {
    self.name = name
    self.address = address
    turns = HostTurns(address.hosts)
    self.names = names
    self.library = library
    self.statements = statements
    self.setUp = setUp
    self.told = told
    notices = PostgresNotices(library)
    state = .away(until: 0)
  }

  deinit { if let connection { library.finish(connection) } }

  var isReady: Bool { if case .ready = state { true } else { false } }
  var hasRequests: Bool { !requests.isEmpty }
  var descriptor: Int32 { connection.map { library.socket($0) } ?? -1 }

  var events: Int16 {
    switch state {
    case .away, .resolving: 0
    case .connecting: polling == PostgresLibrary.Polling.writing ? Int16(POLLOUT) : Int16(POLLIN)
    case .settingUp, .ready: Int16(hasUnflushed ? POLLIN | POLLOUT : POLLIN)
    }
  }

  /// The latest time at which to call `turn`.
  var deadline: UInt64? {
    switch state {
    case .away(let until): until
    case .resolving(_, let deadline), .connecting(let deadline): deadline
    case .settingUp, .ready: hasRequests ? answerDeadline : isReady ? quietAt : nil
    }
  }

  /// When the first request times out. Each byte sent or received extends the time, because the database is then alive.
  private var answerDeadline: UInt64 { max(requests[0].deadline, movedAt + PostgresLink.answerMicroseconds) }

  private var quietAt: UInt64 { movedAt + PostgresLink.quietMicroseconds }

  /// Notes that the socket can be read or written.
  func moves(now: UInt64) {
    movedAt = now
    hasMoved = true
  }

  /// The number of the PostgreSQL process that serves this connection.
  var process: Int32 { connection.map { library.process($0) } ?? 0 }
  var version: Int32 { connection.map { library.serverVersion($0) } ?? 0 }

  // MARK: Asking

  /// - Parameter microseconds: the timeout for a silent database.
  func send(
    _ statements: [(PostgresStatement, [PostgresValue])],
    within microseconds: UInt64 = answerMicroseconds,
    _ answer: @escaping Answer
  ) {
    ask(statements.count, within: microseconds, answer) { connection in
      statements.allSatisfy { library.send($0, $1, over: connection) }
    }
  }

  /// Prepares statements in the database. `answer` tells whether the database accepted them.
  func prepare(_ statements: [PostgresStatement], _ answer: @escaping Answer) {
    ask(statements.count, within: PostgresLink.answerMicroseconds, answer) { connection in
      statements.allSatisfy { library.sendPrepare(connection, $0.name, $0.text, 0, nil) == 1 }
    }
  }

  /// - Parameter put: hands the statements to libpq. Returns whether libpq took them.
  private func ask(
    _ statements: Int,
    within microseconds: UInt64,
    _ answer: @escaping Answer,
    _ put: (PostgresLibrary.Connection) -> Bool
  ) {
    guard let connection, !isAway else { return answer(.failure(.lost)) }
    guard put(connection), library.pipelineSync(connection) == 1 else {
      answer(.failure(.lost))
      return lose(library.words(of: connection))
    }
    let deadline = SteadyClock.microseconds() + microseconds
    requests.append(Request(statements: statements, deadline: deadline, answer: answer))
    flush()
  }

  private var isAway: Bool {
    switch state {
    case .away, .resolving, .connecting: true
    case .settingUp, .ready: false
    }
  }

  // MARK: Turning

  func turn(now: UInt64) {
    switch state {
    case .away(let until): if now >= until { connect(now: now) }
    case .resolving(let lookup, let deadline): goOnResolving(lookup, now: now, until: deadline)
    case .connecting(let deadline):
      if now >= deadline { return lose("it doesn't answer") }
      if hasMoved { goOnConnecting() }
    case .settingUp, .ready:
      receive()
      if isReady, !hasRequests, now >= quietAt { told(self, .quiet) }
      guard !isAway, hasRequests, now >= answerDeadline else { return }
      lose("it doesn't answer")
    }
  }

  private func connect(now: UInt64) {
    let deadline = now + PostgresLink.connectMicroseconds
    switch turns.takeTurn() {
    case .connect(let host, let place): connect(to: host, at: place, until: deadline)
    case .lookUp(let host): state = .resolving(names.lookUp(host.name), deadline: deadline)
    }
  }

  private func goOnResolving(_ lookup: HostNames.Lookup, now: UInt64, until deadline: UInt64) {
    let name = turns.host?.name ?? ""
    switch lookup.answer {
    case .success(let found): connect(to: turns.host, at: turns.take(found), until: deadline)
    case .failure(let fault): lose("could not translate host name \"\(name)\" to address: \(fault.words)")
    case nil: if now >= deadline { lose("looking up the host name \"\(name)\" takes too long") }
    }
  }

  /// - Parameter place: a numeric address to connect to. The host's name is still used for the certificate and the
  ///   password file.
  private func connect(to host: PostgresAddress.Host?, at place: String?, until deadline: UInt64) {
    var parameters: [(String, String)] = [("dbname", address.url)]
    if let host { parameters += [("host", host.name), ("hostaddr", place ?? ""), ("port", host.port)] }
    parameters += [("application_name", "canvas \(name)"), ("client_encoding", "UTF8")]
    let keys = parameters.map { strdup($0.0) }
    let values = parameters.map { strdup($0.1) }
    defer { for text in keys + values { free(text) } }
    let made = (keys.map { UnsafePointer($0) } + [nil]).withUnsafeBufferPointer { keys in
      (values.map { UnsafePointer($0) } + [nil]).withUnsafeBufferPointer { values in
        keys.baseAddress.flatMap { keys in values.baseAddress.flatMap { library.connectStart(keys, $0, 1) } }
      }
    }
    guard let made else { return lose("no memory") }
    connection = made
    guard library.status(made) != PostgresLibrary.connectionIsBad else { return lose(library.words(of: made)) }
    polling = PostgresLibrary.Polling.writing
    hasMoved = false
    state = .connecting(deadline: deadline)
  }

  private func goOnConnecting() {
    guard let connection else { return }
    hasMoved = false
    polling = library.connectPoll(connection)
    switch polling {
    case PostgresLibrary.Polling.failed: lose(library.words(of: connection))
    case PostgresLibrary.Polling.isDone:
      guard library.setNonblocking(connection, 1) == 0, library.enterPipelineMode(connection) == 1 else {
        return lose(library.words(of: connection))
      }
      _ = library.setNoticeReceiver(connection, PostgresNotices.receiver, Unmanaged.passUnretained(notices).toOpaque())
      state = .settingUp
      setUp(self)
    default: break
    }
  }

  func becomeReady() {
    guard case .settingUp = state else { return }
    state = .ready
    absence = nil
    turns.wasOfUse()
    told(self, .ready)
  }

  private func flush() {
    guard let connection else { return }
    switch library.flush(connection) {
    case 0: hasUnflushed = false
    case 1: hasUnflushed = true
    default: lose(library.words(of: connection))
    }
  }

  private func receive() {
    guard let connection else { return }
    if hasUnflushed { flush() }
    guard self.connection != nil else { return }
    guard library.consumeInput(connection) == 1 else { return lose(library.words(of: connection)) }
    while self.connection == connection, hasRequests, library.isBusy(connection) == 0 {
      if let result = library.getResult(connection) {
        take(result)
      } else if library.status(connection) == PostgresLibrary.connectionIsBad {
        // libpq returns `nil` once between two results, and for ever after an answer that it could not read.
        lose(library.words(of: connection))
      }
    }
    while self.connection == connection, let notification = library.notifies(connection) {
      let process = notification.pointee.process
      let channel = notification.pointee.channel.map { String(cString: $0) } ?? ""
      let payload = notification.pointee.payload.map { String(cString: $0) } ?? ""
      library.freeMemory(notification)
      told(self, .notified(channel: channel, process: process, payload: payload))
    }
  }

  private func take(_ result: PostgresLibrary.Result) {
    switch library.resultStatus(result) {
    case PostgresLibrary.Outcome.command, PostgresLibrary.Outcome.rows:
      requests[0].rows.append(PostgresRows(result, library))
    case PostgresLibrary.Outcome.pipelineSync:
      library.clear(result)
      answerFront()
    case PostgresLibrary.Outcome.pipelineAborted: library.clear(result)
    case PostgresLibrary.Outcome.error:
      let state = library.text(PostgresLibrary.stateField, of: result)
      let message = library.text(PostgresLibrary.messageField, of: result)
      notices.noteEnd(result)
      library.clear(result)
      if requests[0].refusal == nil { requests[0].refusal = .refused(state: state, message: message) }
    default:
      // No statement of this program has any other kind of result, such as the start of a `COPY`. libpq would return
      // such a result again and again, so the connection is given up.
      library.clear(result)
      lose("it has answered with something else than rows")
    }
  }

  private func answerFront() {
    let request = requests.popFirst()!
    if notices.takeWarning() {
      // An operator can cancel PostgreSQL's wait for the standbys. The commit then succeeds with only a warning, and a
      // failure of the primary could lose it. So it doesn't count as stored.
      request.answer(.failure(.lost))
      return lose("a commit didn't wait for the standbys")
    }
    if let refusal = request.refusal {
      request.answer(.failure(refusal))
    } else if request.rows.count < request.statements {
      request.answer(.failure(.lost))
    } else {
      request.answer(.success(request.rows))
    }
  }

  // MARK: Ending

  /// Gives up the connection, as if the network had broken.
  func lose(_ words: String) {
    let wasReady = isReady
    let fault = self.fault(notices.farewell.map { "the connection is ended: \($0)" } ?? words)
    close()
    noteAbsence(fault)
    told(self, wasReady ? .lost(fault) : .failed(fault))
  }

  /// Gives up a connection to a database that can't be used.
  /// - Parameter isLasting: whether the reason will probably last. If so, the pause before the next try is longer,
  ///   because each try is a login.
  func refuse(_ fault: StorageFault, isLasting: Bool = false) {
    close()
    if isLasting, case .away(let until) = state { state = .away(until: until + PostgresLink.lastingMicroseconds) }
    noteAbsence(fault)
    told(self, .failed(fault))
  }

  /// Takes the answer to a request that must succeed.
  /// - Returns: the rows. `nil` if the request failed. The connection is then given up.
  func went(_ answer: Result<[PostgresRows], PostgresFailure>) -> [PostgresRows]? {
    switch answer {
    case .success(let rows): return rows
    case .failure(.lost): return nil
    case .failure(.refused(let state, let message)):
      refuse(address.fault(state: state, message: message), isLasting: state == "25006" && turns.isAllTried)
      return nil
    }
  }

  private func noteAbsence(_ fault: StorageFault) {
    turns.noteFailure(fault)
    absence = Absence(since: absence?.since ?? SteadyClock.microseconds(), fault: fault)
  }

  func close() {
    if let connection { library.finish(connection) }
    connection = nil
    timeline = nil
    hasUnflushed = false
    notices.forget()
    let unanswered = requests
    requests = Fifo()
    state = .away(until: SteadyClock.microseconds() + (turns.isAllTried ? PostgresLink.retryMicroseconds : 0))
    for request in unanswered { request.answer(.failure(.lost)) }
  }

  private func fault(_ words: String) -> StorageFault {
    address.fault(words, needsPassword: connection.map { library.needsPassword($0) != 0 } ?? false)
  }
}
