@testable import CanvasCRDT
@testable import RoomLog
@testable import ServerModel
@testable import SyncServer

// A standby of the log takes over that lacks what was stored last, while nodes run on: what was acknowledged and seen is gone, and
// the same positions get other records.

extension World {
  mutating func failOver() {
    let epoch = disk.epoch
    let lost = disk.failOver()
    tell("A standby takes over from the log: \(lost.count) records are gone.")
    if !lost.isEmpty { count(.wentBack) }
    if epoch != nil, disk.epoch == nil { count(.wentBackBeforeCreation) }
    if disk.epoch != nil, disk.epoch != epoch { count(.deletionLost) }
    ledger.forgetStored(lost.flatMap(\.operations))
    ledger.areThere(disk.records)
    ledger.lostMarks.formUnion(lost.map(\.mark))
    let turn = here
    for number in nodes.indices where nodes[number].isUp {
      here = number
      loseLog()
    }
    here = turn
  }

  /// The node's connections to the log are cut, and some time later it has others, to the standby.
  private mutating func loseLog() {
    let until = time + [0, 0, 40, 2_000].randomElement(using: &random)!
    node.cutOffUntil = max(node.cutOffUntil, until)
    node.heard = []
    node.unknown = []
    for append in node.appends { refuse(append.batch.number, .unavailable(World.cutOffFault), at: until) }
    node.appends = []
    // The records that are to come are compared with what it was told, and there is a gap between.
    if !node.leftOut.isEmpty { node.reports = [(until, .lost)] }
    node.leftOut = []
    let told = keepReports(until)
    let isLost =
      node.notice?.lost == node.service.life || told.map { !disk.has($0.epoch, through: $0.position) } ?? false
    if !isLost, room != nil { node.life = disk.life }
    // Where nothing is new, it may take a while until the log looks.
    let looksAt = until + (happens(0.5) ? 0 : UInt64.random(in: 0...3_000, using: &random))
    node.notice = Node.Notice(
      at: max(looksAt, node.reports.last?.at ?? 0),
      lost: isLost ? node.service.life : nil
    )
    if !isLost { reportMissing(after: told?.position ?? 0) }
  }

  /// The standby may have what the node was not told of: what was stored since another standby took over, or a room whose
  /// deletion is lost.
  private mutating func reportMissing(after position: UInt64) {
    guard let epoch = disk.epoch, position < disk.records.last?.position ?? 0 else { return }
    guard let records = disk.read(after: position) else { return report(.lost, to: here, after: 0) }
    let appended = AppendedRecords(id: nil, room: Disk.roomName, epoch: epoch, records: records)
    report(.stored(batch: nil, appended), to: here, after: 0)
  }

  /// Of what the standby lacks, the log has read the first so much, and told it. The rest it never will.
  /// - Returns: which room the node has been told of, and how far; nothing if it has been told of none, or of its end.
  private mutating func keepReports(_ until: UInt64) -> (epoch: UInt64, position: UInt64)? {
    var epoch = node.inLog.isStored ? room?.epoch : nil
    var position = room?.position ?? 0
    var isEnding = false
    var isRead = true
    // What another standby was yet to tell, this one tells, as far as it has it.
    let reports = node.reports.filter { $0.at <= node.notice?.at ?? .max }
    node.reports = []
    for report in reports {
      let isThere =
        switch report.what {
        case .stored(_, let appended): disk.has(appended.epoch, through: appended.records.last?.position ?? 0)
        case .deleted(let deleted): disk.epoch != deleted
        case .lost: true
        }
      if !isThere, Bool.random(using: &random) { isRead = false }
      guard isThere || isRead else {
        if case .stored(let batch?, _) = report.what {
          refuse(batch, .unavailable(World.cutOffFault), at: until)
        }
        continue
      }
      node.reports.append(report)
      switch report.what {
      case .stored(_, let appended) where epoch ?? appended.epoch == appended.epoch:
        epoch = appended.epoch
        position = max(position, appended.records.last?.position ?? 0)
      case .stored: break
      case .deleted(let deleted): if deleted == epoch { isEnding = true }
      case .lost: isEnding = true
      }
    }
    guard room != nil, !isEnding, let epoch else { return nil }
    return (epoch, position)
  }

  /// The log tells the node that it goes on as another copy, after all that it has told before.
  mutating func takeNotice() {
    guard let notice = node.notice else { return }
    node.notice = nil
    let later = node.reports.filter { $0.at > notice.at }
    node.reports = node.reports.filter { $0.at <= notice.at }.map { (time, $0.what) }
    takeReports()
    _ = node.run.goOn(onTimeline: disk.timeline, as: random.next())
    guard room != nil else { return }
    node.reports = later
    guard notice.lost == node.service.life else { return count(.roomKept) }
    tell("  \(server) is told that its room has lost some of what was stored.")
    count(.roomLost)
    // Whoever comes back finds the room as it is now, if there is one.
    closeRoom(.goingAway, "the log has lost some of what was stored; connect again")
  }
}
