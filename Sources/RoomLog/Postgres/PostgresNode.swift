import Glibc

/// A node of a log in PostgreSQL: everything that happens on the log's thread.
///
/// Four connections: one writes, one follows and is told of others' writes, one reads, one does what nobody waits for. None of
/// them ever waits for another.
///
/// What always holds:
/// - One batch of appends is under way at most. What comes meanwhile gathers for the next.
/// - A batch of which the database has not said whether it is stored is settled before the next is sent.
/// - What a follower is told has risen by position, and nothing is left out.
/// - All links are on one timeline of the database.
final class PostgresNode {
  let address: PostgresAddress
  let retention: Retention
  let inbox: PostgresInbox
  let outlet: Outlet
  let shared: SharedFigures
  /// Names this process's writing to the database. Random, and never 0.
  let writerNumber: Int64

  /// Bytes that nobody can guess. At first those that this node offers, and then those of all nodes.
  var secret: [UInt8]

  private(set) var writer: PostgresLink!
  private(set) var bell: PostgresLink!
  private(set) var reader: PostgresLink!
  private(set) var helper: PostgresLink!
  var links: [PostgresLink] { [writer, bell, reader, helper] }

  // Appending
  var waitingWrites: [LogRequest] = []
  /// Those that go before, each in a transaction of its own, since the database has refused one of them.
  var singles: [LogRequest] = []
  /// The rooms that are open here of which the last append was refused.
  var roomsRefused: Set<String> = []
  var underWay: PostgresBatch?
  /// Whether the batch under way has been sent over a connection that is gone.
  var isUndecided = false
  /// When those were last ended that are silent and in its way.
  var endedSilentAt: UInt64 = 0

  // Following
  var followed: [String: FollowedRoom] = [:]
  var nextLook: UInt64 = 0
  var isLooking = false
  /// The rooms that this round of looks has yet to come to, and by how many records those were behind that it has come to.
  var roomsToLookAt: [String] = []
  var lagOfRound: UInt64 = 0
  /// The rooms that are locked, as was last reported.
  var locks: Set<String>?

  // Timelines
  /// What the connections reach.
  var timeline: PostgresTimeline?
  /// How the owner of the log names it.
  var timelineNumber: UInt64 = 0
  /// When it was last seen that a room was set back.
  var setBackAt: UInt64 = 0

  // Chores
  var chores: [LogRequest] = []
  /// By the room that they are about; those about all rooms are about "".
  var choresUnderWay: Set<String> = []
  var isClearing = false
  var nextClearing: UInt64 = 0

  private var fault: StorageFault?
  /// Why rooms can't be read or followed, as was last reported.
  private var readingFault: StorageFault?
  private var isClosing = false
  private var closeDeadline: UInt64 = .max
  /// Whether the writer has reached the database once. The other links need the tables, which the writer makes.
  private var isBegun = false
  /// Whether all links were ready once. Nothing but `.waiting` is reported before.
  private(set) var isOpen = false
  /// Why it isn't open yet, as was reported.
  private var reasons: Set<StorageFault> = []
  private var isUnusable = false
  /// What was asked and isn't taken yet: while the log isn't open, all of it.
  private var arrived: [RequestQueue.Entry] = []

  init(
    address: PostgresAddress,
    names: HostNames,
    library: PostgresLibrary,
    retention: Retention,
    inbox: PostgresInbox,
    outlet: Outlet,
    shared: SharedFigures,
    secret: [UInt8]
  ) {
    self.secret = secret
    self.address = address
    self.retention = retention
    self.inbox = inbox
    self.outlet = outlet
    self.shared = shared
    writerNumber = Int64.random(in: 1...Int64.max)
    func link(_ name: String, _ statements: [PostgresStatement]) -> PostgresLink {
      PostgresLink(
        name,
        address,
        names,
        library,
        statements: statements,
        setUp: { [unowned self] in setUp($0) },
        told: { [unowned self] in take($1, of: $0) }
      )
    }
    writer = link(
      "writer",
      [
        .evict, .lock, .fence, .offerSecret, .secret, .settle, .look, .begin, .commit, .rollback, .create, .append,
        .beginRoom, .epoch, .delete,
      ]
    )
    bell = link(
      "follower",
      [.fence, .probe, .listen, .listenToNodes, .notify, .tell, .locks, .newer, .look, .endSilent]
    )
    reader = link("reader", [.fence, .probe, .readAtOnce, .room, .rooms, .roomAfter, .places, .snapshot, .page])
    helper = link(
      "helper",
      [
        .fence, .probe, .count, .lockRoom, .unlockRoom, .room, .places, .keep, .forget, .trim, .clear, .clearDropped,
        .trimmable,
      ]
    )
    var figures = FollowingFigures()
    for link in links { figures.connections[link.name] = false }
    shared.update { $0.following = figures }
  }

  // MARK: The thread

  func run() {
    while true {
      let (entries, isClosed) = inbox.take()
      arrived += entries
      let now = MonotonicClock.microseconds()
      if isClosed, !isClosing {
        isClosing = true
        closeDeadline = now + PostgresNode.closeMicroseconds
      }
      writer.turn(now: now)
      if isBegun { for link in links.dropFirst() { link.turn(now: now) } }
      guard isOpen || !(isClosing || isUnusable) else { break }
      if isOpen { handOut { take($0) } }
      lookAtReading(now: now)
      goOnWriting()
      endSilent(now: now)
      goOnFollowing(now: now)
      goOnWithChores(now: now)
      if isClosing, isAllDone || now >= closeDeadline { break }
      wait(now: MonotonicClock.microseconds())
    }
    // What was asked over the links is answered by that, and then the rest.
    for link in links { link.close() }
    handOut { refuse($0) }
    refuseAll()
    outlet.tell([.closed])
  }

  private func handOut(_ take: (LogRequest) -> Void) {
    let entries = arrived
    arrived = []
    for entry in entries {
      switch entry {
      case .request(let request): take(request)
      case .refused(let id, let room, let error): outlet.tell([.failed(id: id, room: room, error)])
      }
    }
  }

  /// What was taken before the log was closed is stored, if the database lets it be within this time.
  private static let closeMicroseconds: UInt64 = 5_000_000

  private var isAllDone: Bool {
    underWay == nil && waitingWrites.isEmpty && singles.isEmpty && chores.isEmpty && choresUnderWay.isEmpty
      && !reader.hasRequests
      && followed.values.allSatisfy(\.held.isEmpty)
  }

  private func wait(now: UInt64) {
    var due = closeDeadline
    for link in isBegun ? links : [writer] { due = min(due, link.deadline ?? .max) }
    if bell.isReady { due = min(due, nextLook, nextEndSilent) }
    if helper.isReady, !isClearing { due = min(due, nextClearing) }
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
      shared.update { $0.following?.connections[link.name] = true }
      if link === writer {
        isBegun = true
        noteAvailability(nil)
      }
      if !isOpen, links.allSatisfy(\.isReady) {
        isOpen = true
        outlet.tell([.opened(secret: secret), .locks(locks ?? [])])
      }
      if link === bell {
        doubtFollowed()
        for room in followed.keys { look(at: room) }
      }
    case .lost(let fault), .failed(let fault):
      shared.update { figures in
        figures.following?.connections[link.name] = false
        if case .lost = news { figures.following?.reconnects += 1 }
      }
      if !isOpen { noteUnopened(fault) }
      if link === writer {
        noteAvailability(fault)
        refuseWaiting(fault)
      }
      if link === bell {
        shared.update { $0.following?.lagRecords = nil }
        noteSilence(fault)
      }
    case .quiet:
      // Where there are two primaries, the former still answers, but its commits wait for ever.
      link.send([(link === writer ? .fence : .probe, [])]) { _ = self.went($0, link) }
    case .notified(let channel, let process, let payload):
      // Before it is open, no room is followed, and nobody wants to hear.
      if isOpen { heard(payload, on: channel, from: process) }
    }
  }

  private func noteUnopened(_ fault: StorageFault) {
    if case .unfit = fault {
      if !isUnusable { outlet.tell([.unusable(fault)]) }
      isUnusable = true
    } else if reasons.insert(fault).inserted, !isUnusable {
      outlet.tell([.waiting(fault)])
    }
  }

  private func noteAvailability(_ fault: StorageFault?) {
    guard self.fault != fault else { return }
    self.fault = fault
    shared.update { $0.fault = fault }
    if isOpen { outlet.tell([.availability(room: nil, fault)]) }
  }

  /// A connection that is soon back is not worth a word: people would be sent to other nodes, and back.
  private func lookAtReading(now: UInt64) {
    guard isOpen else { return }
    let absences = [bell, reader].compactMap { $0?.absence }
    if let absence = absences.min(by: { $0.since < $1.since }) {
      guard readingFault == nil, now >= absence.since + PostgresNode.patienceMicroseconds else { return }
      readingFault = absence.fault
    } else {
      guard readingFault != nil else { return }
      readingFault = nil
    }
    outlet.tell([.readability(readingFault)])
  }

  private static let patienceMicroseconds: UInt64 = 3_000_000

  /// Why nothing can be stored now.
  var presentFault: StorageFault { fault ?? .database("\(address.description): the connection is gone") }

  /// Why what rests on an older timeline is refused.
  var otherCopy: StorageFault { .database("\(address.description) goes on from another copy than a moment ago") }

  // MARK: Requests

  private func take(_ request: LogRequest) {
    if let timeline = request.timeline, timeline != timelineNumber { return refuse(request, .unavailable(otherCopy)) }
    switch request {
    case .append, .create, .delete:
      guard writer.isReady else { return refuse(request) }
      waitingWrites.append(request)
    case .follow(let follow): begin(follow)
    case .unfollow(let id, let room):
      leave(room, .noSuchRoom(room: room), .unfollowed(id: id, room: room))
      inbox.release(request)
    case .tell(let id, let room, let bytes): tell(id, room, bytes, request)
    case .read, .load, .list, .verify, .verifyPart: read(request)
    case .snapshot, .trim, .retain, .lock: chores.append(request)
    case .repair(let repair): check(repair)
    }
  }

  func refuse(_ request: LogRequest, _ error: LogError? = nil) {
    outlet.tell([.failed(id: request.id, room: request.room, error ?? .unavailable(presentFault))])
    inbox.release(request)
  }

  private func refuseWaiting(_ fault: StorageFault) {
    let waiting = singles + waitingWrites
    singles = []
    waitingWrites = []
    for request in waiting { refuse(request, .unavailable(fault)) }
  }

  private func refuseAll() {
    refuseWaiting(presentFault)
    if let batch = underWay { for request in batch.requests { refuse(request) } }
    underWay = nil
    for request in chores { refuse(request) }
    chores = []
    for name in followed.keys { refuseWaiting(for: name) }
  }
}
