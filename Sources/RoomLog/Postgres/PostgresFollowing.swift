/// A room that the owner of the log follows.
struct FollowedRoom {
  /// Nil while there is no such room.
  var epoch: UInt64?
  /// The owner has been told of everything up to here.
  var reported: UInt64
  /// The newest record that the owner has ever been told of. Nil until one has been read.
  var newest: StoredPlace?
  /// Whether the database may have lost some of what was reported, since the connection is another than it was then.
  var isInDoubt = false
  /// Own appends that are stored, and come after others' records that are yet to be read.
  var held: [AppendedRecords] = []
  /// Requests that are answered when everything stored by now has been reported.
  var waiting: [FollowRequest] = []
  var isBeingRead = false
  /// Whether something has been stored since it began to be read.
  var isReadAgain = false
}

/// Following: what other nodes store is read when they ring, and once a second in case that nobody heard them; in turns, where
/// a node follows very many rooms. Positions have no gaps, so a missing record shows.
extension PostgresNode {
  func begin(_ request: FollowRequest) {
    // A room that is yet to be created is followed once there is a connection.
    if followed[request.room] == nil, bell.isReady || request.epoch == nil {
      followed[request.room] = FollowedRoom(epoch: request.epoch, reported: request.after)
    }
    // Whoever follows a room it has followed before may have lost what was told meanwhile.
    if let room = followed[request.room], room.epoch == request.epoch, request.after < room.reported {
      followed[request.room]?.reported = request.after
    }
    guard bell.isReady else { return refuse(.follow(request)) }
    followed[request.room]?.waiting.append(request)
    look(at: request.room)
  }

  /// Reads what is new in a room.
  func look(at name: String) {
    guard bell.isReady, let room = followed[name] else { return }
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
      .text(name), .unsigned(room.readsAfter), .number(Int64(PostgresNode.recordsAtOnce)),
    ]
    bell.send([(.newer, values)]) { answer in
      guard self.followed[name] != nil else {
        for request in waiting { self.refuse(.follow(request), .noSuchRoom(room: name)) }
        return
      }
      self.followed[name]?.isBeingRead = false
      switch answer {
      case .success(let rows): self.take(rows[0], of: name, asked: room, for: waiting)
      case .failure: for request in waiting { self.refuse(.follow(request)) }
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
  func leave(_ name: String, _ error: LogError, _ event: LogEvent, _ waiting: [FollowRequest] = []) {
    let room = followed.removeValue(forKey: name)
    for request in waiting + (room?.waiting ?? []) { refuse(.follow(request), error) }
    // Own appends in it are stored all the same. As nobody follows the room any more, nothing is missing before them.
    outlet.tell([event] + (room?.held ?? []).map { .appended($0) })
  }

  /// When the log is closed: what lies between what was reported and these appends will not be read any more.
  func refuseWaiting(for name: String) {
    guard let room = followed.removeValue(forKey: name) else { return }
    for request in room.waiting { refuse(.follow(request)) }
    let error = LogError.unavailable(presentFault)
    outlet.tell(room.held.compactMap(\.id).map { .failed(id: $0, room: name, error) })
  }

  /// Everything that was stored before the request has been reported.
  private func answer(_ request: FollowRequest, epoch: UInt64?) {
    if let wanted = request.epoch, wanted != epoch {
      let error = epoch.map { LogError.otherEpoch(room: request.room, epoch: $0) } ?? .noSuchRoom(room: request.room)
      return refuse(.follow(request), error)
    }
    outlet.tell([.following(id: request.id, room: request.room)])
    inbox.release(.follow(request))
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
      outlet.tell([.appended(AppendedRecords(id: nil, room: name, epoch: epoch, records: foreign))])
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
      guard PostgresNode.checksum(bytes) == rows.number(row, 7) else {
        tellForeign()
        return .damaged(position)
      }
      foreign.append(LogRecord(position: position, milliseconds: rows.unsigned(row, 4), bytes: bytes))
      last = place
    }
    tellForeign()
    return .all
  }

  private func isUnderWay(_ append: UInt64) -> Bool { underWay?.requests.contains { $0.id == append } ?? false }

  private func tell(_ own: AppendedRecords) {
    if let last = own.records.last, let id = own.id {
      noteReported(StoredPlace(position: last.position, writer: writerNumber, append: id), in: own.room)
    }
    outlet.tell([.appended(own)])
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
    else { return outlet.tell([.appended(appended)]) }
    followed[appended.room]?.epoch = appended.epoch
    guard first.position > room.reported else {
      // Where the room is followed anew since, from a later place, the caller has read the append already.
      if first.position <= known { setBack(appended.room) }
      return outlet.tell([.appended(appended)])
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
    // Where the deletion was undecided for a while, a later room of this name may be followed already.
    guard let room = followed[name], room.epoch == epoch else { return outlet.tell([event]) }
    followed[name] = nil
    for request in room.waiting { refuse(.follow(request), .noSuchRoom(room: name)) }
    outlet.tell(room.held.map { .appended($0) } + [event])
  }

  // MARK: Bells

  /// Others are told that there is something new in rooms. Without a connection they are not, and look by themselves.
  func ring(for rooms: [String]) {
    guard bell.isReady else { return }
    var payload = ""
    for room in Set(rooms) {
      if payload.utf8.count + room.utf8.count + 1 > PostgresNode.payloadBytesMax {
        bell.send([(.notify, [.text(payload)])]) { _ in }
        payload = ""
      }
      payload += payload.isEmpty ? room : " " + room
    }
    if !payload.isEmpty { bell.send([(.notify, [.text(payload)])]) { _ in } }
  }

  /// PostgreSQL takes less than 8,000.
  private static let payloadBytesMax = 7_900

  func heard(_ payload: String, on channel: String, from process: Int32) {
    guard process != bell.process else { return }
    if channel == "canvas_nodes" {
      let parts = payload.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, let bytes = Base64.decoded(parts[1].utf8) else { return }
      let room = parts[0] == PostgresNode.everyRoom ? nil : String(parts[0])
      guard room.map({ followed[$0] != nil }) ?? true else { return }
      return outlet.tell([.heard(room: room, bytes: bytes)])
    }
    if payload == PostgresNode.everyRoom { nextLook = 0 }
    for name in payload.split(separator: " ") { look(at: String(name)) }
  }

  /// In place of a room's name, since no room is called so: what is told is for all nodes, and what has changed are locks.
  static let everyRoom = "*"

  func noteLocks(_ rows: PostgresRows) {
    let now = Set((0..<rows.count).map { rows.text($0, 0) })
    guard now != locks else { return }
    locks = now
    if isOpen { outlet.tell([.locks(now)]) }
  }

  func tell(_ id: UInt64, _ room: String?, _ bytes: [UInt8], _ request: LogRequest) {
    inbox.release(request)
    // PostgreSQL carries texts.
    if bell.isReady, bytes.count <= LogRequest.toldBytesMax {
      bell.send([(.tell, [.text("\(room ?? PostgresNode.everyRoom) \(Base64.encoded(bytes))")])]) { _ in }
    }
    outlet.tell([.told(id: id, room: room)])
  }

  /// The bell's connection is gone. What is followed is looked at when it is back.
  func noteSilence(_ fault: StorageFault) {
    // Whatever was being read has been answered by now.
    for name in followed.keys {
      let waiting = followed[name]?.waiting ?? []
      followed[name]?.waiting = []
      for request in waiting { refuse(.follow(request), .unavailable(fault)) }
    }
  }

  func goOnFollowing(now: UInt64) {
    guard bell.isReady, !isLooking, now >= nextLook else { return }
    nextLook = now + PostgresNode.lookMicroseconds
    isLooking = true
    if roomsToLookAt.isEmpty {
      roomsToLookAt = Array(followed.keys)
      lagOfRound = 0
    }
    let names = Array(roomsToLookAt.suffix(PostgresNode.roomsInALook))
    roomsToLookAt.removeLast(names.count)
    bell.send([(.look, [.texts(names)]), (.locks, [])]) { answer in
      self.isLooking = false
      guard case .success(let rows) = answer else { return }
      self.noteLocks(rows[1])
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
      self.shared.update { figures in
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
