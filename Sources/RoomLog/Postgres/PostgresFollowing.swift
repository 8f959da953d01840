import Basics

/// Reports what other nodes store in followed rooms. It reads a room at each notification, and polls once a second.
///
/// What always holds:
/// - The records of a room, including this node's own, are reported in the order of positions and without gaps.
/// - Of a room's backlog, little more than `bytesAtOnce` is reported before the owner says that it has applied that.
/// - If the database has lost records that were already reported, the room is no longer followed.
final class PostgresFollowing {
  let link: PostgresLink
  let reports: PostgresReports
  private let timelines: PostgresTimelines
  let bells: PostgresBells
  /// The random number by which the database tells this process from other writers.
  private let writerNumber: Int64
  /// Whether this append of this node has been sent and not answered.
  private let isUnderWay: (_ append: UInt64) -> Bool

  private(set) var followed: [String: FollowedRoom] = [:]
  private var lastNumber: UInt64 = 0
  var round = FollowingRound()
  /// False once the log is being closed, because its owner asks for nothing any more.
  private var mayPause = true

  init(
    _ link: PostgresLink,
    _ reports: PostgresReports,
    _ timelines: PostgresTimelines,
    _ bells: PostgresBells,
    writerNumber: Int64,
    isUnderWay: @escaping (_ append: UInt64) -> Bool
  ) {
    self.link = link
    self.reports = reports
    self.timelines = timelines
    self.bells = bells
    self.writerNumber = writerNumber
    self.isUnderWay = isUnderWay
  }

  /// Whether all stored appends of this node have been reported.
  var isDone: Bool { followed.values.allSatisfy(\.held.isEmpty) }
  /// The latest time at which to call `goOn`.
  var deadline: UInt64 { link.isReady ? round.deadline : .max }

  static let statements: [PostgresStatement] = [
    .listen, .listenToNodes, .notify, .tell, .locks, .newer, .look, .endSilent, .endHolders,
  ]

  // MARK: Rooms

  func begin(_ request: FollowRequest) {
    guard link.isReady else { return reports.refuse(.follow(request)) }
    if followed[request.room] == nil {
      lastNumber += 1
      followed[request.room] = FollowedRoom(number: lastNumber, epoch: request.epoch, after: request.after)
    }
    // The caller has read less than was reported, so it might have missed reports. The missing records are repeated.
    if let room = followed[request.room], room.epoch == request.epoch, request.after < room.reported {
      followed[request.room]?.reported = request.after
    }
    followed[request.room]?.waiting.append(request)
    look(at: request.room)
  }

  /// The owner has applied everything that was reported before the pause.
  func resume(_ id: UInt64, _ room: String) {
    endPause(of: room)
    reports.tell([.resumed(id: id, room: room)])
    reports.release(.resume(id: id, room: room))
  }

  func pauseNoMore() {
    mayPause = false
    for room in followed.keys { endPause(of: room) }
  }

  private func endPause(of name: String) {
    guard followed[name]?.isPaused == true else { return }
    followed[name]?.isPaused = false
    look(at: name)
  }

  private func pauseIfDue(_ name: String) {
    guard mayPause, let room = followed[name], !room.isPaused, room.unappliedBytes >= PostgresFollowing.bytesAtOnce
    else { return }
    followed[name]?.isPaused = true
    followed[name]?.unappliedBytes = 0
    reports.tell([.paused(room: name)])
  }

  func end(_ id: UInt64, _ room: String) {
    let held = followed[room]?.held ?? []
    followed[room]?.held = []
    leave(room, .noSuchRoom(room: room), [], .unfollowed(id: id, room: room))
    // Nobody follows the room any more, so nobody needs the records before these appends.
    reports.tell(held.map { .appended($0) })
    reports.release(.unfollow(id: id, room: room))
  }

  /// All future records of the room have positions after this one. 0 if the room isn't followed.
  func position(in room: String, epoch: UInt64) -> UInt64 {
    guard let room = followed[room], room.epoch == epoch else { return 0 }
    return room.reported
  }

  /// Another host has taken over. Any room might have lost records there, or be lost. The next read of each room checks
  /// that.
  func doubt() { for name in followed.keys { followed[name]?.doubtAll() } }

  /// Whether all records up to a position were reported, and are known to be still in the database.
  func vouches(for room: String, epoch: UInt64, through position: UInt64) -> Bool {
    guard link.isReady, let room = followed[room] else { return false }
    return room.epoch == epoch && !room.isInDoubt && position <= room.reported
  }

  /// Reads the new records of a room. If a read is under way, another one follows it.
  func look(at name: String) {
    guard link.isReady, let room = followed[name] else { return }
    guard !room.isBeingRead, !room.isPaused else {
      followed[name]?.isReadAgain = true
      return
    }
    followed[name]?.isBeingRead = true
    followed[name]?.isReadAgain = false
    // Requests that are added after this line are answered by a later read.
    let waiting = followed[name]?.takeWaiting() ?? []
    let values: [PostgresValue] = [
      .text(name), .unsigned(room.readsAfter), .number(PostgresFollowing.recordsAtOnce),
      .number(PostgresFollowing.bytesAtOnce),
    ]
    link.send([(.newer, values)]) { answer in
      guard self.followed[name]?.number == room.number else {
        for request in waiting { self.reports.refuse(.follow(request), .noSuchRoom(room: name)) }
        return
      }
      self.followed[name]?.isBeingRead = false
      switch answer {
      case .success(let rows): self.take(rows[0], of: name, asked: room, for: waiting)
      case .failure(let failure) where failure.isDamage:
        self.leave(name, .damaged(room: name, position: room.reported + 1), waiting)
      case .failure:
        self.refuse(waiting, of: name)
        // Another read answers the requests that have come meanwhile.
        if self.followed[name]?.waiting.isEmpty == false { self.look(at: name) }
      }
    }
  }

  /// A read ends with the record that reaches one of these limits.
  private static let (recordsAtOnce, bytesAtOnce): (Int64, Int64) = (512, 1 << 20)

  /// - Parameter asked: the room as it was when the query was sent. It may have changed since.
  private func take(_ rows: PostgresRows, of name: String, asked: FollowedRoom, for waiting: [FollowRequest]) {
    guard let room = followed[name] else { return }
    guard room.reported >= asked.reported, asked.epoch == room.epoch else {
      followed[name]?.waiting += waiting
      return look(at: name)
    }
    guard rows.count > 0 else { return takeAbsence(of: name, room, for: waiting) }
    let epoch = rows.unsigned(0, 0)
    if let known = room.epoch, known != epoch {
      return takeLoss(of: name, room, .otherEpoch(room: name, epoch: epoch), waiting)
    }
    if rows.natural(0, 2) > room.reported {
      // Some records were trimmed before they were reported, so the room can't be followed without a gap.
      return leave(name, .trimmed(room: name, through: rows.natural(0, 2)), waiting)
    }
    switch asked.compared(with: rows) {
    case .other: return setBack(name, waiting)
    case .unknown: return leave(name, .unavailable(reports.otherCopy), waiting)
    case .missing(let position): return leave(name, .damaged(room: name, position: position), waiting)
    case .undecided: break
    case .same: followed[name]?.trust(as: asked)
    }
    followed[name]?.epoch = epoch
    let last = rows.natural(0, 1)
    let reading = report(rows, of: name, epoch: epoch)
    pauseIfDue(name)
    switch reading {
    case .damaged(let position): leave(name, .damaged(room: name, position: position), waiting)
    case .isOther: setBack(name, waiting)
    case .awaitsOwn:
      // The room is read again when this node's append has been answered.
      followed[name]?.waiting += waiting
      followed[name]?.isReadAgain = true
    case .all:
      guard let now = followed[name] else { return }
      if now.reported < last, asked.reported == now.reported, asked.newest == now.newest,
        asked.isInDoubt == now.isInDoubt
      {
        // The room's row counts more records than could be read, so some are missing.
        return leave(name, .damaged(room: name, position: now.reported + 1), waiting)
      }
      if now.reported < last || now.isInDoubt {
        followed[name]?.waiting += waiting
        look(at: name)
      } else {
        // These requests were made before the read was sent, so they don't wait for what has been stored since.
        for request in waiting { answer(request, epoch: epoch) }
        if now.isReadAgain || !now.held.isEmpty || !now.waiting.isEmpty { look(at: name) }
      }
    }
  }

  private func takeAbsence(of name: String, _ room: FollowedRoom, for waiting: [FollowRequest]) {
    if room.epoch != nil { return takeLoss(of: name, room, .noSuchRoom(room: name), waiting) }
    for request in waiting { answer(request, epoch: nil) }
    if room.isReadAgain || !room.waiting.isEmpty { look(at: name) }
  }

  /// Leaves a room that is gone: deleted, or lost with a former primary.
  private func takeLoss(of name: String, _ room: FollowedRoom, _ error: LogError, _ waiting: [FollowRequest]) {
    if room.isBegun, room.mayBeLost { return setBack(name, waiting) }
    leave(name, error, waiting, room.ending(of: name, epoch: room.epoch ?? 0))
  }

  /// Stops following a room. Refuses waiting requests and unreported appends. Reports `event`, or else `.unfollowed`.
  private func leave(_ name: String, _ error: LogError, _ waiting: [FollowRequest] = [], _ event: LogEvent? = nil) {
    let room = followed.removeValue(forKey: name)
    reports.forgetRefusal(of: name)
    for request in waiting + (room?.waiting ?? []) { reports.refuse(.follow(request), error) }
    var refusal = LogError.unavailable(reports.presentFault)
    switch error {
    case .noSuchRoom, .otherEpoch, .unavailable: refusal = error
    default: break
    }
    let event = event ?? .unfollowed(id: nil, room: name)
    reports.tell([event] + (room?.held ?? []).compactMap(\.id).map { .failed(id: $0, room: name, refusal) })
  }

  /// Handles a room whose reported records are no longer in the database, or were replaced by other records.
  private func setBack(_ name: String, _ waiting: [FollowRequest] = []) {
    let number = timelines.noteSetBack(now: SteadyClock.microseconds())
    reports.update { $0.following?.roomsSetBack += 1 }
    let fault = StorageFault.database("\(reports.address.description) has lost records of room \(name)")
    leave(name, .unavailable(fault), waiting, .otherTimeline(number, lost: name))
  }

  /// Refuses all waiting requests and unreported appends.
  func close() {
    let error = LogError.unavailable(reports.presentFault)
    for (name, room) in followed {
      for request in room.waiting { reports.refuse(.follow(request)) }
      reports.tell(room.held.compactMap(\.id).map { .failed(id: $0, room: name, error) })
    }
    followed = [:]
  }

  /// Answers a follow request. To be called when everything stored before it has been reported.
  private func answer(_ request: FollowRequest, epoch: UInt64?) {
    if let wanted = request.epoch, wanted != epoch {
      let error = epoch.map { LogError.otherEpoch(room: request.room, epoch: $0) } ?? .noSuchRoom(room: request.room)
      return reports.refuse(.follow(request), error)
    }
    followed[request.room]?.isAnswered = true
    reports.tell([.following(id: request.id, room: request.room)])
    reports.release(.follow(request))
  }

  /// Refuses follow requests after a failed read. Stops following a room for which no request was ever answered.
  private func refuse(_ waiting: [FollowRequest], of name: String, _ error: LogError? = nil) {
    for request in waiting { reports.refuse(.follow(request), error) }
    guard !waiting.isEmpty, followed[name]?.isAnswered == false, let room = followed.removeValue(forKey: name) else {
      return
    }
    for request in room.waiting { reports.refuse(.follow(request), error) }
    reports.tell(room.held.map { .appended($0) })
  }

  private func report(_ rows: PostgresRows, of name: String, epoch: UInt64) -> FollowedReading {
    var foreign: [LogRecord] = []
    var last: StoredPlace?
    func tellForeign() {
      guard let place = last else { return }
      noteReported(place, in: name)
      followed[name]?.unappliedBytes += foreign.reduce(0) { $0 + $1.bytes.count }
      reports.tell([.appended(AppendedRecords(id: nil, room: name, epoch: epoch, records: foreign))])
      foreign = []
      last = nil
    }
    for row in 0..<rows.count where !rows.isNull(row, 3) {
      let place = StoredPlace(rows, row)
      let position = place.position
      guard let room = followed[name] else { continue }
      // The caller has this record already. Its place is kept in `newest`, for later comparisons.
      if room.newest == nil, position == room.reported { followed[name]?.newest = place }
      let next = max(room.reported, last?.position ?? 0) + 1
      guard position >= next else { continue }
      guard position == next else {
        tellForeign()
        return .damaged(next)
      }
      if let own = room.held.first, own.records.first?.position == position {
        tellForeign()
        guard place.writer == writerNumber, place.append == own.id else { return .isOther }
        tell(own)
        followed[name]?.held.removeFirst()
        continue
      }
      if place.writer == writerNumber, isUnderWay(place.append) {
        tellForeign()
        return .awaitsOwn
      }
      let bytes = rows.bytes(row, 8)
      guard Checksum.stored(of: bytes) == rows.number(row, 7) else {
        tellForeign()
        return .damaged(position)
      }
      foreign.append(LogRecord(position: position, milliseconds: rows.natural(row, 4), bytes: bytes))
      last = place
    }
    tellForeign()
    return .all
  }

  private func tell(_ own: AppendedRecords) {
    if let last = own.records.last, let id = own.id {
      noteReported(StoredPlace(position: last.position, writer: writerNumber, append: id), in: own.room)
    }
    reports.tell([.appended(own)])
  }

  private func noteReported(_ place: StoredPlace, in name: String) {
    followed[name]?.reported = place.position
    followed[name]?.isBegun = true
    if place.position > followed[name]?.newest?.position ?? 0 { followed[name]?.newest = place }
  }

  // MARK: Own appends

  /// Reports a stored append of this node, after all records before it have been reported.
  /// - Parameter known: a position that the room had already reached when the append was sent.
  func tellStored(_ appended: AppendedRecords, after known: UInt64) {
    guard let room = followed[appended.room], let first = appended.records.first else {
      return reports.tell([.appended(appended)])
    }
    guard room.epoch ?? appended.epoch == appended.epoch else {
      // Of two rooms with this name, one is gone. This node doesn't know which one, so it follows neither room.
      let error = LogError.otherEpoch(room: appended.room, epoch: appended.epoch)
      leave(appended.room, error)
      return reports.tell([.appended(appended)])
    }
    followed[appended.room]?.epoch = appended.epoch
    guard first.position > room.reported else {
      // The caller has read the append already. A position at or before `known` shows that records were lost.
      if first.position <= known { setBack(appended.room) }
      return reports.tell([.appended(appended)])
    }
    if room.held.isEmpty, !room.isInDoubt, first.position == room.reported + 1 {
      tell(appended)
      if !room.waiting.isEmpty || room.isReadAgain { look(at: appended.room) }
    } else {
      followed[appended.room]?.held.append(appended)
      look(at: appended.room)
    }
  }

  func tellDeleted(_ name: String, epoch: UInt64, by id: UInt64) {
    let event = LogEvent.deleted(id: id, room: name, epoch: epoch)
    reports.forgetRefusal(of: name)
    // By now this node might follow a newer room of this name, because the deletion was undecided for a while.
    guard let room = followed[name], room.epoch == epoch else { return reports.tell([event]) }
    followed[name] = nil
    for request in room.waiting { reports.refuse(.follow(request), .noSuchRoom(room: name)) }
    let ending: [LogEvent] = room.isBegun ? [event] : [.unfollowed(id: nil, room: name), event]
    let refusal = LogError.noSuchRoom(room: name)
    reports.tell(ending + room.held.compactMap(\.id).map { .failed(id: $0, room: name, refusal) })
  }

  // MARK: News

  func heard(_ payload: String, from process: Int32) {
    switch bells.news(payload, from: process) {
    case .isNew(let rooms): for room in rooms { look(at: room) }
    // The next poll reads the locks too, so it is made at once.
    case .locks: round.hurry()
    case nil: break
    }
  }

  // MARK: The link

  /// To be called when a connection has become ready. Before that, the database might have gained or lost records.
  func databaseIsBack() {
    for room in followed.keys { followed[room]?.isInDoubt = true }
    for room in followed.keys { look(at: room) }
  }

  /// To be called when the connection is lost. All followed rooms are read again when the connection is back.
  func linkIsLost(_ fault: StorageFault) {
    reports.update { $0.following?.lagRecords = nil }
    // All reads under way have already been answered as lost. Here the waiting requests are refused.
    for name in followed.keys {
      refuse(followed[name]?.takeWaiting() ?? [], of: name, .unavailable(fault))
    }
  }
}
