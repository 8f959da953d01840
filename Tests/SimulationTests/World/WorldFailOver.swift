@testable import CanvasCRDT
@testable import RoomLog
@testable import ServerModel
@testable import SyncServer

// A standby database takes over while nodes keep running. It lacks the newest records, including acknowledged ones, and
// stores other records at their positions.

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

  /// Cuts the node's connections to the log. When they are restored, they lead to the standby.
  private mutating func loseLog() {
    let until = time + [0, 0, 40, 2_000].randomElement(using: &random)!
    node.cutOffUntil = max(node.cutOffUntil, until)
    node.heard = []
    node.unknown = []
    for append in node.appends { refuse(append.batch.number, .unavailable(World.cutOffFault), at: until) }
    node.appends = []
    // A node that has missed notifications can't compare them with the standby's records. So the node is told that
    // notifications were lost.
    if !node.leftOut.isEmpty { node.reports = [(until, .lost)] }
    node.leftOut = []
    let told = keepReports(until)
    let isLost =
      node.notice?.lost == node.service.life || told.map { !disk.has($0.epoch, through: $0.position) } ?? false
    if !isLost, room != nil { node.life = disk.life }
    // If no new record arrives, the node might notice the failover only after some time.
    let looksAt = until + (happens(0.5) ? 0 : UInt64.random(in: 0...3_000, using: &random))
    node.notice = Node.Notice(
      at: max(looksAt, node.reports.last?.at ?? 0),
      lost: isLost ? node.service.life : nil
    )
    if !isLost { reportMissing(after: told?.position ?? 0) }
  }

  /// Reports the records that the standby has and the node lacks. These records can come from before the failover, or
  /// from a room whose deletion is lost.
  private mutating func reportMissing(after position: UInt64) {
    guard let epoch = disk.epoch, position < disk.records.last?.position ?? 0 else { return }
    guard let records = disk.read(after: position) else { return report(.lost, to: here, after: 0) }
    let appended = AppendedRecords(id: nil, room: Disk.roomName, epoch: epoch, records: records)
    report(.stored(batch: nil, appended), to: here, after: 0)
  }

  /// The pending notifications might be about records that the standby lacks. The node gets only some of the first of
  /// these notifications.
  /// - Returns: the room's epoch and the last position of which the node was notified. `nil` if there was no room, or
  ///   if it was deleted.
  private mutating func keepReports(_ until: UInt64) -> (epoch: UInt64, position: UInt64)? {
    var epoch = node.inLog.isStored ? room?.epoch : nil
    var position = room?.position ?? 0
    var isEnding = false
    var isRead = true
    // The notifications that were pending when the standby took over.
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

  /// Delivers all earlier notifications, and then tells the node that a standby has taken over.
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
    // Clients connect again and get the standby's version of the room, if the standby has the room.
    closeRoom(.goingAway, "the log has lost some of what was stored; connect again")
  }
}
