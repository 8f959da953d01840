@testable import CanvasCRDT
@testable import RoomLog
@testable import ServerModel
@testable import SyncServer

// The log: what becomes of the hubs' requests, and what the log reports to the hubs.

extension World {
  // MARK: Requests

  /// Takes over what the node's hub asks of the log.
  mutating func takeRequests() {
    guard let log = node.log else { return }
    for message in log.takeMessages() { tellOthers(message) }
    for request in log.takeRequests() {
      if request.mayWaitElsewhere, !isCutOff, isQueueFullFor(request) {
        let refusal = Node.Failure(
          at: time + delay(),
          request: request.id,
          isAppend: request.isAppend,
          .busy(queuedBytes: 64 << 20)
        )
        node.failures.append(refusal)
        continue
      }
      switch request {
      case .append(let append): take(append)
      default: node.questions.append((max(time, node.questions.last?.at ?? 0) + delay(), request))
      }
    }
  }

  /// Whether the log's queue is full. If so, the log refuses requests that carry bytes.
  private mutating func isQueueFullFor(_ request: LogRequest) -> Bool {
    if request.isAppend, let share = history.dice.fullQueueShare, !isCalm, happens(share) {
      node.fullUntil = time + UInt64.random(in: 0...500, using: &random)
      count(.queueFull)
    }
    return time < node.fullUntil
  }

  /// Tells the node that the log has failed to store a batch.
  mutating func refuse(_ append: UInt64, _ error: LogError, at time: UInt64) {
    node.failures.append(Node.Failure(at: time, request: append, isAppend: true, error))
  }

  private mutating func take(_ append: AppendRequest) {
    node.unanswered.insert(append.id)
    guard !isCutOff else { return refuse(append.id, .unavailable(World.cutOffFault), at: time + delay()) }
    let took = UInt64.random(in: 0...history.dice.commitMillisecondsMax, using: &random)
    node.appends.append(
      Node.Append(request: append, commitsAt: max(node.appends.last?.commitsAt ?? 0, time + took), fails: disk.isDown)
    )
  }

  // MARK: An iteration

  mutating func turnLog() {
    if disk.isDown, time >= disk.downUntil {
      tell("The disk can be written again.")
      disk.isDown = false
    }
    guard node.isUp else { return }
    if node.breaksAtAppend, !node.appends.isEmpty { cutOff() }
    tellOfFault()
    commitAppends()
    answerQuestions()
    if let notice = node.notice, notice.isDue || notice.at <= time { takeNotice() }
    takeLeftOut()
    takeReports()
    takeFailures()
    refuseForgotten()
    hear()
    if let log = node.log, log.isClosing, node.appends.isEmpty, node.questions.isEmpty { report(.closed) }
  }

  private var isLogOutOfReach: Bool { disk.isDown || isCutOff }

  /// Tells the node whether the log can be written.
  private mutating func tellOfFault() {
    guard node.isToldOfFault != isLogOutOfReach else { return }
    node.isToldOfFault = isLogOutOfReach
    report(.availability(room: nil, isLogOutOfReach ? .diskFull(path: "") : nil))
  }

  private mutating func commitAppends() {
    while let first = node.appends.first, first.commitsAt <= time, !isCutOff {
      node.appends.removeFirst()
      guard !first.fails else {
        count(.logFailed)
        refuse(first.request.id, .unavailable(.diskFull(path: "")), at: time)
        if Bool.random(using: &random) { node.unknown.append(first) }
        continue
      }
      findOut()
      do throws(LogError) { try commit(first) } catch { refuse(first.request.id, error, at: time) }
    }
  }

  private mutating func takeFailures() {
    while let first = node.failures.first, first.at <= time {
      node.failures.removeFirst()
      if first.isAppend {
        node.failedBatches += 1
        if node.isOfOpenRoom(first.request) { node.isLogInDoubt = true }
        if RoomInLog.isGone(by: first.error), open != nil { count(.deletedUnderAppend) }
      }
      report(.failed(id: first.request, room: Disk.roomName, first.error))
    }
  }

  /// Refuses the appends whose answers were dropped, because the node has stopped following their room.
  private mutating func refuseForgotten() {
    guard !node.unanswered.isEmpty else { return }
    let events = node.reports.map(\.event) + node.leftOut.map(\.event)
    // What was dropped is refused after the node has learned that it no longer follows the room.
    guard !events.contains(.unfollowed(id: nil, room: Disk.roomName)) else { return }
    let pending = Set(
      events.compactMap(\.id) + node.appends.map(\.request.id) + node.failures.map(\.request)
    )
    for id in node.unanswered.subtracting(pending).sorted() {
      report(.failed(id: id, room: Disk.roomName, .unavailable(World.cutOffFault)))
    }
  }

  /// Hands a report to the node's hub.
  mutating func report(_ event: LogEvent) {
    guard let log = node.log else { return }
    if let id = event.id { node.unanswered.remove(id) }
    log.report(event)
    serve()
  }

  // MARK: Questions

  private mutating func answerQuestions() {
    while let first = node.questions.first, first.at <= time, !isCutOff, node.isUp {
      node.questions.removeFirst()
      // A failover must be reported to the node before its request is answered.
      takeNotice()
      do throws(LogError) {
        if let answer = try answer(first.request) { report(answer) }
      } catch {
        node.refusals += 1
        report(.failed(id: first.request.id, room: first.request.room, error))
      }
    }
  }

  /// - Returns: the answer. `nil` if it has been reported already.
  private mutating func answer(_ request: LogRequest) throws(LogError) -> LogEvent? {
    if let timeline = request.timeline, timeline != disk.timeline { throw Disk.otherTimeline }
    switch request {
    case .load(let load):
      let loaded = Result { () throws(LogError) in try disk.store.load(load) }
      // With any other bound, the past is read, and not the room opened.
      if load.room == Disk.roomName, load.wantsSnapshot, load.through == .end {
        node.room.lifeLoaded = disk.life
        node.wasInDoubtAtLoad = node.isToldOfFault && disk.epoch != nil
        if (try? loaded.get())?.snapshot != nil { count(.snapshotUsed) }
      }
      return .loaded(id: load.id, try loaded.get())
    case .read(var read):
      if Bool.random(using: &random) { read.bytesMax = 700 }
      return .read(id: read.id, try disk.store.read(read))
    case .follow(let follow):
      try self.follow(follow)
      return .following(id: follow.id, room: follow.room)
    case .resume(let id, let room): return .resumed(id: id, room: room)
    case .unfollow(let id, let room):
      if room == Disk.roomName { stopFollowing() }
      return .unfollowed(id: id, room: room)
    case .snapshot(let snapshot):
      try disk.write(snapshot, retention: retention)
      checkSnapshot()
      // For a snapshot that the hub makes by itself, the room has forgotten its old erasures.
      let isAsked = snapshot.position == node.snapshotPosition || node.isStopping
      if !isAsked, limits.horizonMilliseconds < World.horizonNeverReached { ledger.hasForgotten = true }
      return .snapshotted(id: snapshot.id, room: snapshot.room, position: snapshot.position)
    case .retain(let id, let milliseconds):
      trim(at: milliseconds)
      return .retained(id: id)
    case .list(let id): return .rooms(id: id, disk.summary.map { [$0] } ?? [])
    case .delete(let id, let name):
      let epoch = try delete(name)
      return .deleted(id: id, room: name, epoch: epoch)
    case .verifyPart(let part): return .verifiedPart(id: part.id, VerifiedPart())
    case .lock: throw .noLocks
    case .append, .create, .trim, .repair, .verify:
      fail(.waiting, "\(server) asks the log for something else: \(request)")
      return nil
    }
  }

  private mutating func follow(_ follow: FollowRequest) throws(LogError) {
    guard !node.isFollowing else {
      count(.caughtUp)
      takeLeftOut(isAsked: true)
      for place in node.reports.indices { node.reports[place].at = time }
      return takeReports()
    }
    let missed = try disk.store.records(for: follow)
    node.isFollowing = true
    if let missed { report(.appended(missed)) }
  }

  mutating func stopFollowing() {
    node.isFollowing = false
    node.reports = []
    node.leftOut = []
  }

  private mutating func delete(_ name: String) throws(LogError) -> UInt64 {
    let stored = disk.records.flatMap(\.operations)
    guard name == Disk.roomName, let epoch = disk.epoch, disk.delete() else { throw .noSuchRoom(room: name) }
    tell("The room is deleted.")
    count(.roomDeleted)
    ledger.forgetStored(stored)
    for other in nodes.indices where other != here {
      send(.deleted(id: nil, room: name, epoch: epoch), to: other, after: lag())
    }
    for place in node.reports.indices { node.reports[place].at = time }
    takeReports()
    stopFollowing()
    return epoch
  }

  // MARK: Storing

  /// Stores the appends whose outcome was unknown. This simulates a log that reopens and finds more records than it had
  /// reported.
  private mutating func findOut() {
    for append in node.unknown { turnUp(append.request) }
    node.unknown = []
  }

  /// Makes a batch durable, and reports it to all nodes that have the room open.
  mutating func commit(_ append: Node.Append) throws(LogError) {
    if append.request.timeline != disk.timeline, let notice = node.notice, notice.at > time, !notice.isDue {
      // From the answer to this append, the log learns that a standby has taken over.
      count(.toldByAppend)
      nodes[here].notice?.isDue = true
    }
    // If the room was closed meanwhile, no client learns that the batch is stored.
    if !node.isOfOpenRoom(append.request.id) { ledger.undecided.formUnion(Disk.stamps(of: append.request)) }
    try commit(append.request, isAnswered: true)
  }

  /// - Parameter isAnswered: false if the node got no answer, and so doesn't know that it wrote the batch.
  mutating func commit(_ request: AppendRequest, isAnswered: Bool) throws(LogError) {
    let appended = try disk.commit(request)
    let isLeftOut = happens(isCalm ? 0 : history.dice.leftOutShare ?? 0)
    if ledger.areThere(disk.records.suffix(appended.records.count)) { count(.lostEditSentAgain) }
    // The standby receives all records at random times.
    if nodes.count > 1, happens(0.2) { disk.sendToStandby() }
    // The node's event loop can be busy, while other nodes already read the record.
    let busy: UInt64 = isAnswered && happens(0.05) ? 200 : 0
    for number in nodes.indices {
      let isOwn = number == here
      if !isOwn, nodes[number].isFollowing { count(.toldLate) }
      var told = appended
      if !isOwn || !isAnswered { told.id = nil }
      let later = isOwn ? (isAnswered ? delay() + busy : 0) : lag()
      if isLeftOut, nodes[number].isFollowing {
        leaveOut(.appended(told), of: number, for: later)
      } else {
        send(.appended(told), to: number, after: later)
      }
    }
  }

  // MARK: Reports

  /// Reports something of the room to a node that follows it, after all earlier reports.
  mutating func send(_ event: LogEvent, to number: Int, after milliseconds: UInt64) {
    guard nodes[number].isUp, nodes[number].isFollowing else { return }
    let told = nodes[number].notice.map { $0.at + 1 } ?? 0
    let at = max(nodes[number].reports.last?.at ?? 0, time + milliseconds, nodes[number].cutOffUntil, told)
    nodes[number].reports.append((at, event))
  }

  /// Delays a report, so that the node gets later reports before this one. The node notices the gap within a second.
  private mutating func leaveOut(_ event: LogEvent, of number: Int, for milliseconds: UInt64) {
    guard nodes[number].isUp else { return }
    count(.leftOut)
    nodes[number].leftOut.append((time + milliseconds + UInt64.random(in: 0...1_000, using: &random), event))
  }

  /// - Parameter isAsked: whether the node has noticed the gap and asks for the missing records.
  mutating func takeLeftOut(isAsked: Bool = false) {
    guard !isCutOff else { return }
    let leftOut = node.leftOut
    node.leftOut = leftOut.filter { !isAsked && $0.at > time }
    for (at, event) in leftOut where isAsked || at <= time { send(event, to: here, after: 0) }
  }

  mutating func takeReports() {
    while let first = node.reports.first, first.at <= time {
      node.reports.removeFirst()
      switch first.event {
      case .appended(let appended): reportStored(appended)
      case .deleted(_, _, let epoch):
        if open?.room.epoch == epoch { count(.deletedElsewhere) }
        stopFollowing()
        report(first.event)
      case .unfollowed:
        if open != nil { count(.followingLost) }
        stopFollowing()
        report(first.event)
      default: report(first.event)
      }
    }
  }

  private mutating func reportStored(_ appended: AppendedRecords) {
    let before = node.room
    if let open, !open.isStored {
      if open.room.epoch != appended.epoch, appended.id == nil { count(.joinedCreation) }
      // The record may belong to an earlier room that was deleted. The node may not know of the deletion yet.
      node.room.life = appended.epoch == disk.epoch && !node.room.isLost ? disk.life : -1
    }
    if appended.id != nil { node.isLogInDoubt = false }
    if open != nil { node.room.reported = max(node.room.reported, appended.records.last?.position ?? 0) }
    report(.appended(appended))
    if let first = appended.records.first, before.open != nil, open == nil, first.position > before.position + 1 {
      count(.gapClosed)
    }
    // A log that has reconnected may report the same record twice.
    if happens(0.03) {
      count(.toldAgain)
      var again = appended
      again.id = nil
      report(.appended(again))
    }
  }

  // MARK: Keeping

  /// No history takes as long as this.
  private static let horizonNeverReached: UInt64 = 86_400_000

  private var retention: Retention { Retention(ageMillisecondsMax: history.dice.historyMilliseconds) }

  /// The hub stores a snapshot of the room.
  mutating func takeSnapshot() {
    guard let server = node.server, let open, open.room.position > 0, !node.isStopping else { return }
    // The hub forgets erasures first, too. This way the world sees whether there were any.
    forgetErasures()
    node.snapshotPosition = open.room.position
    server.pass(to: now)
    server.hub.assumeIsolated { $0.snapshot(open) }
    serve()
  }

  mutating func forgetErasures() {
    guard let server = node.server, let open else { return }
    let before = open.room.canvas
    let now = now
    server.hub.assumeIsolated { hub in hub.change(open) { $0.forgetErasures(now: now) } }
    if open.room.canvas != before { lookAtForgotten(open.room) }
    node.room.erasureCount = open.room.canvas.erasureCount
  }

  mutating func trim(at milliseconds: UInt64) {
    guard disk.retain(retention, milliseconds: milliseconds) else { return }
    count(.trimmed)
    // If the log drops records before a node was told of them, the node is told that these records are lost.
    for number in nodes.indices where number != here {
      guard case .appended(let next) = nodes[number].reports.first?.event,
        next.records[0].position <= disk.summary?.trimmed ?? 0
      else { continue }
      nodes[number].reports = [(nodes[number].reports[0].at, .unfollowed(id: nil, room: Disk.roomName))]
    }
  }

  /// Another program writes to the same log.
  mutating func writeFromElsewhere() {
    guard let epoch = disk.epoch, let shape = open?.room.canvas.shapes.randomElement(using: &random)?.id else {
      return
    }
    var set = Properties()
    set.rotation = Double(Int.random(in: 0...360, using: &random))
    let actor = Identifier.random(using: &random)
    let stamp = Stamp(milliseconds: now.wallMilliseconds, counter: 0, actor: actor)!
    let stored = StoredOperations(run: random.next(), operations: [Operation(shape: shape, at: stamp, set: set)])
    let request = AppendRequest(
      id: 0,
      room: Disk.roomName,
      epoch: epoch,
      milliseconds: now.wallMilliseconds,
      records: [NewRecord(bytes: stored.encoded(), operations: 1)],
      timeline: disk.timeline
    )
    guard (try? commit(request, isAnswered: false)) != nil else { return }
    tell("Another program turns \(shape) in the log itself.")
    count(.foreignRecord)
    ledger.hasForeignRecords = true
  }
}
