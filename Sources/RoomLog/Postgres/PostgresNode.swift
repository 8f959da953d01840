import Glibc

/// A node of a log in PostgreSQL: everything that happens on the log's thread.
///
/// There are four connections: one for writing, one for following other nodes' writes, one for reading, one for
/// background work. None of them ever waits for another.
///
/// Each has a part with a file of its own: `PostgresWriting`, `PostgresFollowing`, `PostgresReading`, `PostgresChores`.
/// The node calls them in turn.
///
/// What always holds:
/// - No part gets a request before all connections have been ready once.
/// - All links are on one timeline of the database.
final class PostgresNode {
  let address: PostgresAddress
  private let inbox: PostgresInbox
  let reports: PostgresReports
  let timelines = PostgresTimelines()

  // Links call back into this object, so they are made when all other properties are set. The parts need the links, so
  // the parts are made last.
  private(set) var writer: PostgresLink!
  private(set) var bell: PostgresLink!
  private(set) var reader: PostgresLink!
  private var helper: PostgresLink!
  var links: [PostgresLink] { [writer, bell, reader, helper] }
  private(set) var writing: PostgresWriting!
  private(set) var following: PostgresFollowing!
  private(set) var bells: PostgresBells!
  let concerns: PostgresConcerns
  private var reading: PostgresReading!
  private var chores: PostgresChores!

  /// Random bytes. At first they are the secret that this node offers to store, and later the secret that is stored for
  /// all nodes.
  var secret: [UInt8]
  private var nextLookAtSettings: UInt64 = 0
  private var isClosing = false
  private var closeDeadline: UInt64 = .max
  /// Whether the connection that gets other nodes' notifications has ever been ready.
  private var hadBell = false
  /// Whether the connection for writing has ever been ready. The other connections wait until it has, because it
  /// creates the tables.
  private var isBegun = false
  /// Requests that came before the log was open.
  private var arrived: [RequestQueue.Entry] = []

  init(
    address: PostgresAddress,
    names: HostNames,
    library: PostgresLibrary,
    retention: Retention,
    inbox: PostgresInbox,
    outlet: Outlet,
    shared: SharedFigures,
    secret: [UInt8],
    clock: @escaping () -> UInt64
  ) {
    self.secret = secret
    self.address = address
    self.inbox = inbox
    reports = PostgresReports(address, inbox, outlet, shared)
    concerns = PostgresConcerns(reports, clock: clock)
    func link(_ name: String, _ statements: [PostgresStatement]) -> PostgresLink {
      PostgresLink(
        name,
        address,
        names,
        library,
        statements: [.fence, .probe] + statements,
        setUp: { [unowned self] in setUp($0) },
        told: { [unowned self] in take($1, of: $0) }
      )
    }
    writer = link("writer", PostgresWriting.statements)
    bell = link("follower", PostgresFollowing.statements)
    reader = link("reader", PostgresReading.statements)
    helper = link("helper", PostgresChores.statements)
    var figures = FollowingFigures()
    for link in links { figures.connections[link.name] = false }
    shared.update { $0.following = figures }
    let number = Int64.random(in: 1...Int64.max)
    let bells = PostgresBells(bell, reports)
    following = PostgresFollowing(bell, reports, timelines, bells, writerNumber: number) { [unowned self] append in
      writing.isUnderWay(append)
    }
    writing = PostgresWriting(writer, beside: bell, reports, following, bells, number: number)
    reading = PostgresReading(reader, reports)
    self.bells = bells
    chores = PostgresChores(helper, reports, timelines, following, bells, retention: retention)
  }

  // MARK: The thread

  func run() {
    while true {
      reports.noteTurn()
      let (entries, isClosed) = inbox.take()
      arrived += entries
      let now = MonotonicClock.microseconds()
      if isClosed, !isClosing {
        isClosing = true
        closeDeadline = now + PostgresNode.closeMicroseconds
      }
      writer.turn(now: now)
      if isBegun { for link in links.dropFirst() { link.turn(now: now) } }
      guard reports.isOpen || !(isClosing || reports.isUnusable) else { break }
      if reports.isOpen { handOut { take($0) } }
      reports.noteReading([bell, reader].compactMap { $0?.absence }, now: now)
      // The settings are not read while a commit is about to be refused. The query would be sent behind that commit and
      // refused together with it, and because of the query's failure the connection would be given up.
      if mayLookAtSettings, now >= nextLookAtSettings {
        nextLookAtSettings = now + PostgresNode.settingsMicroseconds
        lookAtSettings(over: writer)
      }
      writing.goOn(now: now)
      following.goOn(now: now)
      chores.goOn(now: now)
      if isClosing, isAllDone || now >= closeDeadline { break }
      wait(now: MonotonicClock.microseconds())
    }
    // Closing a link answers the requests on it. The requests that were not sent are answered next.
    for link in links { link.close() }
    handOut { reports.refuse($0) }
    writing.close()
    chores.refuseWaiting()
    following.close()
    reports.tell([.closed])
  }

  private func handOut(_ take: (LogRequest) -> Void) {
    let entries = arrived
    arrived = []
    for entry in entries {
      switch entry {
      case .request(let request): take(request)
      case .refused(let id, let room, let error): reports.tell([.failed(id: id, room: room, error)])
      }
    }
  }

  /// How often the database's settings are read again.
  private static let settingsMicroseconds: UInt64 = 5_000_000

  /// The upper bound on the time in which requests that were accepted before the log was closed are stored.
  private static let closeMicroseconds: UInt64 = 5_000_000

  private var mayLookAtSettings: Bool { writer.isReady && !writer.hasRequests }

  private var isAllDone: Bool { writing.isDone && following.isDone && reading.isDone && chores.isDone }

  private func wait(now: UInt64) {
    var due = closeDeadline
    for link in isBegun ? links : [writer] { due = min(due, link.deadline ?? .max) }
    due = min(due, writing.deadline, following.deadline, chores.deadline)
    if mayLookAtSettings { due = min(due, nextLookAtSettings) }
    var waited = [pollfd(fd: inbox.descriptor, events: Int16(POLLIN), revents: 0)]
    let connected = links.filter { $0.descriptor >= 0 }
    for link in connected { waited.append(pollfd(fd: link.descriptor, events: link.events, revents: 0)) }
    let milliseconds = due <= now ? 0 : min((due - now + 999) / 1_000, 1_000)
    poll(&waited, nfds_t(waited.count), Int32(milliseconds))
    let then = MonotonicClock.microseconds()
    for (link, waited) in zip(connected, waited.dropFirst()) where waited.revents != 0 { link.moves(now: then) }
  }

  // MARK: Links

  private func take(_ news: PostgresLink.News, of link: PostgresLink) {
    switch news {
    case .ready:
      reports.update { $0.following?.connections[link.name] = true }
      if link === writer {
        isBegun = true
        reports.noteAvailability(nil)
      }
      if !reports.isOpen, links.allSatisfy(\.isReady) { reports.open(secret: secret, locks: bells.lockedRooms) }
      if link === bell {
        following.linkIsReady()
        if hadBell { reports.tell([.missedNews]) }
        hadBell = true
      }
    case .lost(let fault), .failed(let fault):
      reports.update { figures in
        figures.following?.connections[link.name] = false
        if case .lost = news { figures.following?.reconnects += 1 }
      }
      reports.noteUnopened(fault)
      if link === writer {
        reports.noteAvailability(fault)
        writing.linkIsLost(fault)
      }
      if link === bell { following.linkIsLost(fault) }
    case .quiet:
      // The writing link commits something instead of sending only a query. After a failover, the former primary still
      // answers queries, but its commits wait for ever.
      link.send([(link === writer ? .fence : .probe, [])]) { _ = link.went($0) }
    case .notified(let channel, let process, let payload): following.heard(payload, on: channel, from: process)
    }
  }

  // MARK: Requests

  private func take(_ request: LogRequest) {
    if let timeline = request.timeline, timeline != timelines.number {
      return reports.refuse(request, .unavailable(reports.otherCopy))
    }
    switch request {
    case .append, .create, .delete: writing.add(request)
    case .follow(let follow): following.begin(follow)
    case .unfollow(let id, let room): following.end(id, room)
    case .tell(let id, let room, let bytes): bells.tell(id, room, bytes)
    case .read, .load, .list, .verify, .verifyPart, .repair: reading.read(request)
    case .snapshot, .trim, .retain, .lock: chores.add(request)
    }
  }
}
