import Basics
import Glibc

/// A node of a log in PostgreSQL: everything that runs on the log's thread.
///
/// It has four connections, for writing, following, reading and background work. The classes that use them are
/// `PostgresWriting`, `PostgresFollowing`, `PostgresReading` and `PostgresChores`.
///
/// What always holds:
/// - No request is carried out before all connections have been ready once.
/// - All connections are on the same timeline of the database.
final class PostgresNode {
  let address: PostgresAddress
  private let inbox: PostgresInbox
  let reports: PostgresReports
  let timelines = PostgresTimelines()

  // Implicitly unwrapped: the links call back into this object, so they are made after all other properties are set.
  private(set) var writer: PostgresLink!
  private(set) var bell: PostgresLink!
  private(set) var reader: PostgresLink!
  private var helper: PostgresLink!
  var links: [PostgresLink] { [writer, bell, reader, helper] }
  private(set) var writing: PostgresWriting!
  private(set) var following: PostgresFollowing!
  private(set) var bells: PostgresBells!
  private var bus: PostgresBus!
  let concerns: PostgresConcerns
  private var reading: PostgresReading!
  private var chores: PostgresChores!

  /// Whether this node creates the tables, upgrades them, and offers a secret to store.
  let mayCreate: Bool
  /// A secret of random bytes: at first the one that this node offers to store, later the one that is stored for all
  /// nodes. `nil` if none is stored.
  var secret: [UInt8]?
  private var nextLookAtSettings: UInt64 = 0
  private var isClosing = false
  private var closeDeadline: UInt64 = .max
  /// Whether the writing connection has ever been ready. The other connections wait for it, because it creates the
  /// tables.
  private var isBegun = false
  /// Requests that have come before the log is open.
  private var arrived: [RequestQueue.Entry] = []

  init(
    address: PostgresAddress,
    names: HostNames,
    library: PostgresLibrary,
    retention: Retention,
    inbox: PostgresInbox,
    outlet: Outlet,
    heard: @escaping BusSink,
    shared: SharedFigures,
    mayCreate: Bool,
    secret: [UInt8],
    clock: @escaping () -> UInt64
  ) {
    self.mayCreate = mayCreate
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
    bus = PostgresBus(bell, heard)
    chores = PostgresChores(helper, reports, timelines, following, bells, retention: retention)
  }

  // MARK: The thread

  func run() {
    while true {
      reports.noteTurn()
      let (entries, isClosed) = inbox.take()
      arrived += entries
      let now = SteadyClock.microseconds()
      if isClosed, !isClosing {
        isClosing = true
        following.pauseNoMore()
        closeDeadline = now + PostgresNode.closeMicroseconds
      }
      writer.turn(now: now)
      if isBegun { for link in links.dropFirst() { link.turn(now: now) } }
      guard reports.isOpen || !(isClosing || reports.isUnusable) else { break }
      if reports.isOpen { handOut { take($0) } }
      for message in inbox.takeMessages() where reports.isOpen { bus.tell(message) }
      reports.noteReading([bell, reader].compactMap { $0?.absence }, now: now)
      // The settings are not queried while a commit is under way. If the database refused the commit, it would also
      // refuse the query, and a refused query closes the connection.
      if mayLookAtSettings, now >= nextLookAtSettings {
        nextLookAtSettings = now + PostgresNode.settingsMicroseconds
        lookAtSettings(over: writer)
      }
      writing.goOn(now: now)
      following.goOn(now: now)
      chores.goOn(now: now)
      if isClosing, isAllDone || now >= closeDeadline { break }
      wait(now: SteadyClock.microseconds())
    }
    // Closing the links answers their sent requests. The lines below answer all others.
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

  /// How long the node may go on storing accepted requests after the log was closed.
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
    let then = SteadyClock.microseconds()
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
      // Another database might answer now, whichever of these connections is back first.
      if link === writer || link === bell { following.databaseIsBack() }
      if link === bell { bus.linkIsReady() }
    case .lost(let fault), .failed(let fault):
      reports.update { figures in
        figures.following?.connections[link.name] = false
        if case .lost = news { figures.following?.reconnects += 1 }
      }
      reports.noteUnopened(fault, areAllUnfit: link.turns.areAllUnfit)
      if link === writer {
        reports.noteAvailability(fault)
        writing.linkIsLost(fault)
      }
      if link === bell { following.linkIsLost(fault) }
    case .quiet:
      // The writing link tests the connection with a commit. After a failover, the old primary still answers queries,
      // but its commits wait forever.
      link.send([(link === writer ? .fence : .probe, [])]) { _ = link.went($0) }
    case .notified(let channel, let process, let payload):
      // Before the log is open, no room is followed, and no event may be reported.
      guard reports.isOpen else { return }
      if channel == PostgresBus.channel {
        bus.heard(payload, from: process)
      } else {
        following.heard(payload, from: process)
      }
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
    case .resume(let id, let room): following.resume(id, room)
    case .unfollow(let id, let room): following.end(id, room)
    case .read, .load, .list, .verify, .verifyPart, .repair: reading.read(request)
    case .snapshot, .trim, .retain, .lock: chores.add(request)
    }
  }
}
