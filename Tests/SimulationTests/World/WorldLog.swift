@testable import CanvasCRDT
@testable import RoomLog
@testable import ServerModel
@testable import SyncServer

// The log: how it stores appends, and what it reports to the nodes.

extension World {
  mutating func turnLog() {
    if disk.isDown, time >= disk.downUntil {
      tell("The disk can be written again.")
      disk.isDown = false
    }
    guard node.isUp else { return }
    while let first = node.appends.first, first.commitsAt <= time, !isCutOff {
      node.appends.removeFirst()
      guard !first.fails else {
        count(.logFailed)
        refuse(first.batch.number, .unavailable(.diskFull(path: "")), at: time)
        if Bool.random(using: &random) { node.unknown.append(first) }
        continue
      }
      findOut()
      do throws(LogError) { try commit(first) } catch { refuse(first.batch.number, error, at: time) }
    }
    while let first = node.snapshots.first, first.at <= time {
      node.snapshots.removeFirst()
      disk.write(first.request, retention: retention)
    }
    if let notice = node.notice, notice.isDue || notice.at <= time { takeNotice() }
    takeLeftOut()
    takeReports()
    while let first = node.failures.first, first.at <= time {
      node.failures.removeFirst()
      node.failedBatches += 1
      node.isLogInDoubt = true
      node.inFlight.removeAll { $0.number == first.batch }
      room?.failed(batch: first.batch)
      if RoomInLog.isGone(by: first.error) {
        count(.deletedUnderAppend)
        closeRoom(.noSuchRoom, "the room was deleted")
      }
    }
    hear()
    takeEffects()
  }

  /// Tells the node that the log has failed to store a batch.
  mutating func refuse(_ batch: UInt64, _ error: LogError, at time: UInt64) {
    node.failures.append((time, batch, error))
  }

  /// Whether the log's queue is full. If so, the log refuses requests that carry bytes.
  var isQueueFull: Bool { time < node.fullUntil }

  /// Delays a report, so that the node gets later reports before this one. The node notices the gap within a second.
  private mutating func leaveOut(_ what: Node.Report, of number: Int, for milliseconds: UInt64) {
    guard nodes[number].isUp else { return }
    count(.leftOut)
    nodes[number].leftOut.append((time + milliseconds + UInt64.random(in: 0...1_000, using: &random), what))
  }

  /// - Parameter isAsked: whether the node has noticed the gap and asks for the missing records.
  mutating func takeLeftOut(isAsked: Bool = false) {
    guard !isCutOff else { return }
    let leftOut = node.leftOut
    node.leftOut = leftOut.filter { !isAsked && $0.at > time }
    for (at, what) in leftOut where isAsked || at <= time { report(what, to: here, after: 0) }
  }

  mutating func takeReports() {
    while let first = node.reports.first, first.at <= time {
      node.reports.removeFirst()
      switch first.what {
      case .stored(let batch, let appended): take(appended, batch: batch)
      case .deleted(let epoch):
        guard room?.epoch == epoch else { continue }
        count(.deletedElsewhere)
        closeRoom(.noSuchRoom, "the room was deleted")
      case .lost:
        count(.followingLost)
        closeRoom(.goingAway, "the log can't tell what came next; connect again")
      }
    }
  }

  mutating func take(_ appended: AppendedRecords, batch: UInt64?) {
    guard var room else { return }
    if !node.inLog.isStored {
      if room.epoch != appended.epoch { count(.joinedCreation) }
      // The record may belong to an earlier room that was deleted. The node may not know of the deletion yet.
      node.life = appended.epoch == disk.epoch ? disk.life : -1
    }
    let isOfRoom = node.inLog.begin(&room, epoch: appended.epoch)
    self.room = room
    guard isOfRoom else { return }
    for record in appended.records {
      deliver(record, batch: batch, endsBatch: record.position == appended.records.last?.position)
      // At random, other events happen between two records of a batch.
      if appended.records.count > 1, happens(0.3) { turnRoom() }
    }
    // A log that has reconnected may report the same record twice.
    if happens(0.03) {
      count(.toldAgain)
      for record in appended.records { deliver(record, batch: nil) }
    }
  }

  /// Stores the appends whose outcome was unknown. This simulates a log that reopens and finds more records than it had
  /// reported.
  mutating func findOut() {
    for append in node.unknown where (try? commit(append.request, of: nil)) != nil { count(.turnedUp) }
    node.unknown = []
  }

  /// Makes a batch durable, and reports it to all nodes that have the room open.
  mutating func commit(_ append: Node.Append) throws(LogError) {
    if append.request.timeline != disk.timeline, let notice = node.notice, notice.at > time, !notice.isDue {
      // From the answer to this append, the log learns that a standby has taken over.
      count(.toldByAppend)
      nodes[here].notice?.isDue = true
    }
    try commit(append.request, of: append.batch.number)
  }

  /// - Parameter batch: the batch's number. `nil` if the node got no answer, and so doesn't know that it wrote the batch.
  mutating func commit(_ request: AppendRequest, of batch: UInt64?) throws(LogError) {
    let appended = try disk.commit(request)
    let isLeftOut = happens(isCalm ? 0 : history.dice.leftOutShare ?? 0)
    if ledger.areThere(disk.records.suffix(appended.records.count)) { count(.lostEditSentAgain) }
    // The standby receives all records at random times.
    if nodes.count > 1, happens(0.2) { disk.sendToStandby() }
    var after: UInt64 = 0
    if batch != nil {
      // The node's event loop can be busy, while other nodes already read the record.
      let busy: UInt64 = happens(0.05) ? 200 : 0
      after = delay() + busy
    }
    for number in nodes.indices {
      let isOwn = number == here
      if !isOwn, nodes[number].isUp, nodes[number].service.room != nil { count(.toldLate) }
      let what = Node.Report.stored(batch: isOwn ? batch : nil, appended)
      let later = isOwn ? after : lag()
      if isLeftOut, nodes[number].service.room != nil {
        leaveOut(what, of: number, for: later)
      } else {
        report(what, to: number, after: later)
      }
    }
  }

  mutating func deliver(_ record: LogRecord, batch: UInt64?, endsBatch: Bool = true) {
    guard let position = room?.position else { return }
    if endsBatch, let batch {
      node.inFlight.removeAll { $0.number == batch }
      node.isLogInDoubt = false
    }
    let now = now
    let before = room?.canvas.liveCount ?? 0
    let forgotten = room?.forgottenBefore ?? 0
    let taken = RoomRecord(record, batch: batch, endsBatch: endsBatch)
    do throws(MissingRecord) {
      try room?.delivered(taken, now: now)
    } catch {
      count(.gapClosed)
      return closeRoom(.goingAway, "the log has left out what came next; connect again")
    }
    if record.position > position { node.mark = Disk.mark(of: taken.operations, after: node.mark) }
    if room?.forgottenBefore ?? 0 > forgotten { count(.forgottenEarly) }
    if disk.records.contains(where: { $0.position == record.position && $0.isLate }) {
      count(.cameTooLate)
      // This batch was stored too late, so rooms ignore it. This room might have counted on the space that the batch
      // would have freed.
      node.failedBatches += 1
    }
    checkCursor()
    let after = room?.canvas.liveCount ?? 0
    // A room can exceed its limit in two cases: a deletion that the room counted on was not stored, or another node
    // wrote something that this node couldn't count.
    if after > before, UInt64(after) > limits.shapes, node.failedBatches == 0, !ledger.hasForeignRecords,
      nodes.count == 1
    {
      fail(.fullness, "the room has \(after) shapes, and may have \(limits.shapes)")
    }
  }

  /// Checks that a cursor never stands for two different histories, even after an older copy of the log was restored.
  /// If it did, a client could get changes that don't fit its drawing.
  mutating func checkCursor() {
    guard let room, !room.isUnwritten else { return }
    let cursor = room.cursor.text
    if let earlier = ledger.cursors.updateValue(node.mark, forKey: cursor), earlier != node.mark {
      fail(.cursors, "the cursor \(cursor) stands for two histories")
    }
  }

  /// Checks what a client gets when it returns with a cursor. If the room has all records up to the cursor, the client
  /// must get only the records after it.
  mutating func checkResumption(from cursor: Cursor?) {
    guard let room, let cursor, let mark = ledger.cursors[cursor.text], node.life == disk.life else { return }
    guard let place = room.place(of: cursor) else {
      if ledger.lostMarks.contains(mark) { count(.lostCursorRefused) }
      return
    }
    if disk.mark(at: place) != mark { fail(.cursors, "the cursor \(cursor.text) is taken for another history") }
  }

  var retention: Retention { Retention(ageMillisecondsMax: history.dice.historyMilliseconds) }

  mutating func takeSnapshot() {
    guard let room, room.position > 0, !isQueueFull else { return }
    let image = room.image()
    let request = SnapshotRequest(
      id: 0,
      room: Disk.roomName,
      epoch: room.epoch,
      position: image.position,
      shapes: UInt64(image.canvas.liveCount),
      bytes: image.encoded(),
      timeline: node.run.timeline
    )
    node.snapshots.append((time + delay(), request))
  }

  mutating func trim() {
    guard disk.retain(retention, milliseconds: now.wallMilliseconds) else { return }
    count(.trimmed)
    // If the log drops records before a node was told of them, the node is told that these records are lost.
    for number in nodes.indices where number != here {
      guard case .stored(_, let next) = nodes[number].reports.first?.what,
        next.records[0].position <= disk.summary?.trimmed ?? 0
      else { continue }
      nodes[number].reports = [(nodes[number].reports[0].at, .lost)]
    }
  }

  /// Another program writes to the same log.
  mutating func writeFromElsewhere() {
    guard let room, let shape = room.canvas.shapes.randomElement(using: &random)?.id else { return }
    var set = Properties()
    set.rotation = Double(Int.random(in: 0...360, using: &random))
    let actor = Identifier.random(using: &random)
    let stamp = Stamp(milliseconds: now.wallMilliseconds, counter: 0, actor: actor)!
    let operation = Operation(shape: shape, at: stamp, set: set)
    let request = disk.request(
      Batch(number: 0, operations: [operation], payer: nil),
      operationsMax: 1,
      run: random.next(),
      epoch: room.epoch,
      mayCreate: false,
      milliseconds: now.wallMilliseconds,
      timeline: disk.timeline
    )
    guard (try? commit(request, of: nil)) != nil else { return }
    tell("Another program turns \(shape) in the log itself.")
    count(.foreignRecord)
    ledger.hasForeignRecords = true
  }
}
