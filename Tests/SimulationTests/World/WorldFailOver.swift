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
    ledger.areBack(disk.records)
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
    node.missesNews = true
    node.unknown = []
    for append in node.appends { refuse(append.request.id, .unavailable(World.cutOffFault), at: until) }
    node.appends = []
    // A node that has missed notifications can't compare them with the standby's records. So the node is told that
    // notifications were lost.
    if !node.leftOut.isEmpty { node.reports = [(until, .unfollowed(id: nil, room: Disk.roomName))] }
    node.leftOut = []
    let told = keepReports(until)
    let isLost =
      open != nil && node.notice?.lost == node.room.number
      || told.map { !disk.has($0.epoch, through: $0.position) } ?? false
    // A room that is about to be closed can lack records, or have some that are gone.
    node.room.isLost = isLost
    if !isLost, open != nil { node.room.life = told == nil ? -1 : disk.life }
    // If no new record arrives, the node might notice the failover only after some time.
    let looksAt = until + (happens(0.5) ? 0 : UInt64.random(in: 0...3_000, using: &random))
    node.notice = Node.Notice(at: max(looksAt, node.reports.last?.at ?? 0), lost: isLost ? node.room.number : nil)
    if !isLost { reportMissing(after: told?.position ?? 0) }
  }

  /// Reports the records that the standby has and the node lacks. These records can come from before the failover, or
  /// from a room whose deletion is lost.
  private mutating func reportMissing(after position: UInt64) {
    guard let epoch = disk.epoch, position < disk.records.last?.position ?? 0 else { return }
    let request = FollowRequest(id: 0, room: Disk.roomName, epoch: epoch, after: position)
    let lost = LogEvent.unfollowed(id: nil, room: Disk.roomName)
    guard let missed = try? disk.store.records(for: request) else { return send(lost, to: here, after: 0) }
    send(.appended(missed), to: here, after: 0)
  }

  /// The pending notifications might be about records that the standby lacks. The node gets only some of the first of
  /// these notifications.
  /// - Returns: the room's epoch and the last position of which the node was notified. `nil` if there was no room, or
  ///   if it was deleted.
  private mutating func keepReports(_ until: UInt64) -> (epoch: UInt64, position: UInt64)? {
    var epoch = open?.isStored ?? false ? open?.room.epoch : nil
    var position = open.map { max($0.room.position, node.room.reported) } ?? 0
    var isEnding = false
    var isRead = true
    // The notifications that were pending when the standby took over.
    let reports = node.reports.filter { $0.at <= node.notice?.at ?? .max }
    node.reports = []
    for report in reports {
      let isThere =
        switch report.event {
        case .appended(let appended): disk.has(appended.epoch, through: appended.records.last?.position ?? 0)
        case .deleted(_, _, let deleted): disk.epoch != deleted
        default: true
        }
      if !isThere, Bool.random(using: &random) { isRead = false }
      guard isThere || isRead else {
        if case .appended(let appended) = report.event, let append = appended.id {
          refuse(append, .unavailable(World.cutOffFault), at: until)
        }
        continue
      }
      node.reports.append(report)
      switch report.event {
      case .appended(let appended) where epoch ?? appended.epoch == appended.epoch:
        epoch = appended.epoch
        position = max(position, appended.records.last?.position ?? 0)
      case .deleted(_, _, let deleted): if deleted == epoch { isEnding = true }
      case .unfollowed: isEnding = true
      default: break
      }
    }
    guard open != nil, !isEnding, let epoch else { return nil }
    return (epoch, position)
  }

  /// Hands the node all earlier reports, and then tells it that a standby has taken over.
  mutating func takeNotice() {
    guard let notice = node.notice else { return }
    node.notice = nil
    let later = node.reports.filter { $0.at > notice.at }
    node.reports = node.reports.filter { $0.at <= notice.at }.map { (time, $0.event) }
    takeReports()
    if node.isFollowing { node.reports += later }
    guard open != nil, notice.lost == node.room.number else {
      if open != nil { count(.roomKept) }
      return report(.otherTimeline(disk.timeline, lost: nil))
    }
    tell("  \(server) is told that its room has lost some of what was stored.")
    count(.roomLost)
    // Clients connect again and get the standby's version of the room, if the standby has the room.
    stopFollowing()
    report(.otherTimeline(disk.timeline, lost: Disk.roomName))
  }
}
