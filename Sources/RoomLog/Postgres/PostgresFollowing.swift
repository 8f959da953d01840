/// Following: what other nodes store is read when they ring, and once a second in case that nobody heard them; in turns, where
/// a node follows very many rooms. Positions have no gaps, so a missing record shows.
///
/// What always holds:
/// - What is told of a room rises by position, and nothing is left out. Own appends are told in their places.
/// - What is told of a room continues what was told before. Where the database has lost some of that, the room is left.
final class PostgresFollowing {
  private let link: PostgresLink
  private let reports: PostgresReports
  private let timelines: PostgresTimelines
  private let bells: PostgresBells
  /// Names this node's appends in the database.
  private let writerNumber: Int64
  /// Whether an append of this node has no answer yet.
  private let isUnderWay: (_ append: UInt64) -> Bool

  private var followed: [String: FollowedRoom] = [:]
  private var nextLook: UInt64 = 0
  private var isLooking = false
  /// The rooms that this round of looks has yet to come to, and by how many records those were behind that it has come to.
  private var roomsToLookAt: [String] = []
  private var lagOfRound: UInt64 = 0

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

  /// Whether no own append waits to be told.
  var isDone: Bool { followed.values.allSatisfy(\.held.isEmpty) }
  /// When `goOn` has to be called at the latest.
  var deadline: UInt64 { link.isReady ? nextLook : .max }

  static let statements: [PostgresStatement] = [
    .listen, .listenToNodes, .notify, .tell, .locks, .newer, .look, .endSilent,
  ]

  // MARK: Rooms

  func begin(_ request: FollowRequest) {
    // A room that is yet to be created is followed once there is a connection.
    if followed[request.room] == nil, link.isReady || request.epoch == nil {
      followed[request.room] = FollowedRoom(epoch: request.epoch, reported: request.after)
    }
    // Whoever follows a room it has followed before may have lost what was told meanwhile.
    if let room = followed[request.room], room.epoch == request.epoch, request.after < room.reported {
      followed[request.room]?.reported = request.after
    }
    guard link.isReady else { return reports.refuse(.follow(request)) }
    followed[request.room]?.waiting.append(request)
    look(at: request.room)
  }

  func end(_ id: UInt64, _ room: String) {
    leave(room, .noSuchRoom(room: room), .unfollowed(id: id, room: room))
    reports.release(.unfollow(id: id, room: room))
  }

  /// After which position everything comes that is stored in a room from now on, as far as is known here.
  func position(in room: String, epoch: UInt64) -> UInt64 {
    guard let room = followed[room], room.epoch == epoch else { return 0 }
    return room.reported
  }

  /// Before anything more is reported in a room, its last record is compared with what is stored there now.
  func doubt() {
    for name in followed.keys { followed[name]?.isInDoubt = true }
  }

  /// Whether the database may have lost some of what was reported in a room.
  func isInDoubt(_ room: String) -> Bool { followed[room]?.isInDoubt ?? false }

  /// Reads what is new in a room.
  private func look(at name: String) {
    guard link.isReady, let room = followed[name] else { return }
    guard !room.isBeingRead else {
      followed[name]?.isReadAgain = true
      return
    }
    followed[name]?.isBeingRead = true
    followed[name]?.isReadAgain = false
    // Whoever asks from now on is answered by the next reading.
    let waiting = room.waiting
    followed[name]?.waiting = []
    let values: [PostgresValue] = [
      .text(name), .unsigned(room.readsAfter), .number(Int64(PostgresFollowing.recordsAtOnce)),
    ]
    link.send([(.newer, values)]) { answer in
      guard self.followed[name] != nil else {
        for request in waiting { self.reports.refuse(.follow(request), .noSuchRoom(room: name)) }
        return
      }
      self.followed[name]?.isBeingRead = false
      switch answer {
      case .success(let rows): self.take(rows[0], of: name, asked: room, for: waiting)
      case .failure: for request in waiting { self.reports.refuse(.follow(request)) }
      }
    }
  }

  private static let recordsAtOnce = 512

  /// - Parameter asked: the room as it was followed when this was asked. Since then this node may have created it, or begun to
  ///   follow it from an earlier place.
  private func take(_ rows: PostgresRows, of name: String, asked: FollowedRoom, for waiting: [FollowRequest]) {
    guard let room = followed[name] else { return }
    guard room.reported >= asked.reported, asked.epoch == nil || asked.epoch == room.epoch else {
      followed[name]?.waiting += waiting
      return look(at: name)
    }
    guard rows.count > 0 else { return takeAbsence(of: name, room, epoch: asked.epoch, for: waiting) }
    let epoch = rows.unsigned(0, 0)
    if let known = room.epoch, known != epoch {
      let event = LogEvent.deleted(id: nil, room: name, epoch: known)
      return leave(name, .otherEpoch(room: name, epoch: epoch), event, waiting)
    }
    if rows.unsigned(0, 2) > room.reported {
      // What it lacks has been trimmed.
      let error = LogError.trimmed(room: name, through: rows.unsigned(0, 2))
      return leave(name, error, .unfollowed(id: nil, room: name), waiting)
    }
    switch asked.compared(with: rows) {
    case .other: return setBack(name, waiting)
    case .undecided: break
    case .same: followed[name]?.isInDoubt = false
    }
    followed[name]?.epoch = epoch
    let last = rows.unsigned(0, 1)
    switch report(rows, of: name, epoch: epoch) {
    case .damaged(let position):
      leave(name, .damaged(room: name, position: position), .unfollowed(id: nil, room: name), waiting)
    case .awaitsOwn:
      // The answer to that append leads on from here.
      followed[name]?.waiting += waiting
      followed[name]?.isReadAgain = true
    case .all:
      if let now = followed[name], now.reported < last || now.isInDoubt || !now.held.isEmpty || now.isReadAgain {
        followed[name]?.waiting += waiting
        look(at: name)
      } else {
        for request in waiting { answer(request, epoch: epoch) }
        if followed[name]?.waiting.isEmpty == false { look(at: name) }
      }
    }
  }

  private func takeAbsence(
    of name: String,
    _ room: FollowedRoom,
    epoch asked: UInt64?,
    for waiting: [FollowRequest]
  ) {
    guard let epoch = asked else {
      for request in waiting { answer(request, epoch: nil) }
      if room.isReadAgain || room.epoch != nil || !room.waiting.isEmpty { look(at: name) }
      return
    }
    leave(name, .noSuchRoom(room: name), .deleted(id: nil, room: name, epoch: epoch), waiting)
  }

  /// Follows a room no longer, and answers all who wait for something in it.
  private func leave(_ name: String, _ error: LogError, _ event: LogEvent, _ waiting: [FollowRequest] = []) {
    let room = followed.removeValue(forKey: name)
    reports.forgetRefusal(of: name)
    for request in waiting + (room?.waiting ?? []) { reports.refuse(.follow(request), error) }
    // Own appends in it are stored all the same. As nobody follows the room any more, nothing is missing before them.
    reports.tell([event] + (room?.held ?? []).map { .appended($0) })
  }

  /// What was reported in a room is gone, or something else is stored in its place.
  private func setBack(_ name: String, _ waiting: [FollowRequest] = []) {
    let number = timelines.noteSetBack(now: MonotonicClock.microseconds())
    reports.update { $0.following?.roomsSetBack += 1 }
    let fault = StorageFault.database("\(reports.address.description) has lost records of room \(name)")
    leave(name, .unavailable(fault), .otherTimeline(number, lost: name), waiting)
  }

  /// The log is closed: what lies between what was reported and own appends will not be read any more.
  func close() {
    let error = LogError.unavailable(reports.presentFault)
    for (name, room) in followed {
      for request in room.waiting { reports.refuse(.follow(request)) }
      reports.tell(room.held.compactMap(\.id).map { .failed(id: $0, room: name, error) })
    }
    followed = [:]
  }

  /// Everything that was stored before the request has been reported.
  private func answer(_ request: FollowRequest, epoch: UInt64?) {
    if let wanted = request.epoch, wanted != epoch {
      let error = epoch.map { LogError.otherEpoch(room: request.room, epoch: $0) } ?? .noSuchRoom(room: request.room)
      return reports.refuse(.follow(request), error)
    }
    reports.tell([.following(id: request.id, room: request.room)])
    reports.release(.follow(request))
  }

  private enum Reading {
    case all
    /// A record is this node's own, and the answer to its append is still to come.
    case awaitsOwn
    case damaged(UInt64)
  }

  private func report(_ rows: PostgresRows, of name: String, epoch: UInt64) -> Reading {
    var foreign: [LogRecord] = []
    var last: StoredPlace?
    func tellForeign() {
      guard let place = last else { return }
      noteReported(place, in: name)
      reports.tell([.appended(AppendedRecords(id: nil, room: name, epoch: epoch, records: foreign))])
      foreign = []
      last = nil
    }
    for row in 0..<rows.count where !rows.isNull(row, 3) {
      let place = StoredPlace(rows, row)
      let position = place.position
      guard let room = followed[name] else { continue }
      // What a caller knew that began to follow here.
      if room.newest == nil, position == room.reported { followed[name]?.newest = place }
      guard position > max(room.reported, last?.position ?? 0) else { continue }
      if let own = room.held.first, own.records.first?.position == position {
        tellForeign()
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
      foreign.append(LogRecord(position: position, milliseconds: rows.unsigned(row, 4), bytes: bytes))
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
    if place.position > followed[name]?.newest?.position ?? 0 { followed[name]?.newest = place }
  }

  // MARK: Own appends

  /// An own append is stored. It is reported once everything before it has been.
  /// - Parameter known: after which position it had to come when it was sent.
  func tellStored(_ appended: AppendedRecords, after known: UInt64) {
    guard let room = followed[appended.room], room.epoch ?? appended.epoch == appended.epoch,
      let first = appended.records.first
    else { return reports.tell([.appended(appended)]) }
    followed[appended.room]?.epoch = appended.epoch
    guard first.position > room.reported else {
      // Where the room is followed anew since, from a later place, the caller has read the append already.
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
    // Where the deletion was undecided for a while, a later room of this name may be followed already.
    guard let room = followed[name], room.epoch == epoch else { return reports.tell([event]) }
    followed[name] = nil
    for request in room.waiting { reports.refuse(.follow(request), .noSuchRoom(room: name)) }
    reports.tell(room.held.map { .appended($0) } + [event])
  }

  // MARK: News

  func heard(_ payload: String, on channel: String, from process: Int32) {
    // Before it is open, no room is followed, and nobody wants to hear.
    guard reports.isOpen else { return }
    switch bells.news(payload, on: channel, from: process) {
    case .isNew(let rooms): for room in rooms { look(at: room) }
    // They are read with the next look.
    case .locks: nextLook = 0
    case .told(let room?, let bytes): if followed[room] != nil { reports.tell([.heard(room: room, bytes: bytes)]) }
    case .told(nil, let bytes): reports.tell([.heard(room: nil, bytes: bytes)])
    case nil: break
    }
  }

  // MARK: The link

  /// The connection is there, or is there again. While it was away, others have stored something, or the database has lost some.
  func linkIsReady() {
    doubt()
    for room in followed.keys { look(at: room) }
  }

  /// The connection is gone. What is followed is looked at when it is back.
  func linkIsLost(_ fault: StorageFault) {
    reports.update { $0.following?.lagRecords = nil }
    // Whatever was being read has been answered by now.
    for name in followed.keys {
      let waiting = followed[name]?.waiting ?? []
      followed[name]?.waiting = []
      for request in waiting { reports.refuse(.follow(request), .unavailable(fault)) }
    }
  }

  func goOn(now: UInt64) {
    guard link.isReady, !isLooking, now >= nextLook else { return }
    nextLook = now + PostgresFollowing.lookMicroseconds
    isLooking = true
    if roomsToLookAt.isEmpty {
      roomsToLookAt = Array(followed.keys)
      lagOfRound = 0
    }
    let names = Array(roomsToLookAt.suffix(PostgresFollowing.roomsInALook))
    roomsToLookAt.removeLast(names.count)
    link.send([(.look, [.texts(names)]), (.locks, [])]) { answer in
      self.isLooking = false
      guard case .success(let rows) = answer else { return }
      self.bells.noteLocks(rows[1])
      var seen: Set<String> = []
      var lag = self.lagOfRound
      for row in 0..<rows[0].count {
        let name = rows[0].text(row, 0)
        seen.insert(name)
        guard let room = self.followed[name] else { continue }
        if room.epoch == rows[0].unsigned(row, 1) {
          lag += rows[0].unsigned(row, 2) - min(room.reported, rows[0].unsigned(row, 2))
        }
        if room.epoch != rows[0].unsigned(row, 1) || room.reported != rows[0].unsigned(row, 2) { self.look(at: name) }
      }
      self.lagOfRound = lag
      let count = self.followed.count
      let isRoundOver = self.roomsToLookAt.isEmpty
      self.reports.update { figures in
        figures.following?.rooms = count
        if isRoundOver { figures.following?.lagRecords = lag }
      }
      for name in names where self.followed[name]?.epoch != nil && !seen.contains(name) { self.look(at: name) }
    }
  }

  private static let lookMicroseconds: UInt64 = 1_000_000
  /// A look at so many takes the node 5 ms of processor time and PostgreSQL 10, on a busy machine. A node with more rooms looks at
  /// them in turns, so that it never takes more. A bell that nobody heard then costs a second for each 2,000 rooms.
  private static let roomsInALook = 2_000
}
