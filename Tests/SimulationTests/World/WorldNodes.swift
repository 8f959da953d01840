@testable import CanvasCRDT
@testable import RoomLog
@testable import ServerModel
@testable import SyncServer

// Several nodes over one log: how they are cut off from the log and from each other, and what they send each other.

extension World {
  var isCutOff: Bool { time < node.cutOffUntil }

  /// The node loses its connection to the log. Some of the appends on their way, always the first ones, are stored all
  /// the same. The node learns that only when it has a connection again.
  mutating func cutOff() {
    guard node.isUp, !isCutOff else { return }
    tell("\(server) does not reach the log any more.")
    count(.cutOff)
    let until = time + UInt64.random(in: 10...3_000, using: &random)
    node.cutOffUntil = until
    let appends = node.appends
    node.appends = []
    node.heard = []
    let kept = Int.random(in: 0...appends.count, using: &random)
    if !appends.isEmpty { count(.undecided) }
    for (place, append) in appends.enumerated() {
      guard place < kept, !append.fails else {
        count(.undecidedLost)
        refuse(append.batch.number, .unavailable(World.cutOffFault), at: until)
        continue
      }
      do throws(LogError) {
        try commit(append)
        count(.undecidedStored)
      } catch {
        refuse(append.batch.number, error, at: until)
      }
    }
    // Some of the reports have already reached the node's loop.
    if Bool.random(using: &random) {
      for place in node.reports.indices { node.reports[place].at = max(node.reports[place].at, until) }
    }
    // The node may have been cut off for so long that the log no longer has all that the node missed.
    if room != nil, happens(0.1) { node.reports = [(until, .lost)] }
  }

  /// The node's process stands still, as on a machine that is overloaded or was suspended.
  mutating func standStill() {
    guard node.isUp, time >= node.stillUntil else { return }
    tell("\(server) stands still.")
    count(.stoodStill)
    node.stillUntil = time + UInt64.random(in: 50...9_000, using: &random)
    // Some of the appends that the node has sent still arrive at the log.
    let kept = Int.random(in: 0...node.appends.count, using: &random)
    let arriving = node.appends.prefix(kept)
    node.appends.removeFirst(kept)
    for append in arriving {
      do throws(LogError) {
        guard !append.fails else { throw .unavailable(World.cutOffFault) }
        try commit(append)
      } catch {
        refuse(append.batch.number, error, at: time)
      }
    }
  }

  static let cutOffFault = StorageFault.database("the connection was lost")

  /// How long it takes until a node is sent a report of what another node has stored. Sometimes the notification is
  /// lost, and the node finds out by polling.
  mutating func lag() -> UInt64 {
    let soon = delay()
    guard happens(0.1) else { return soon }
    count(.notWoken)
    return soon + UInt64.random(in: 0...1_000, using: &random)
  }

  /// Reports something to a node that follows the room, after all earlier reports.
  mutating func report(_ what: Node.Report, to number: Int, after milliseconds: UInt64) {
    guard nodes[number].isUp, nodes[number].service.room != nil else { return }
    let told = nodes[number].notice.map { $0.at + 1 } ?? 0
    let at = max(nodes[number].reports.last?.at ?? 0, time + milliseconds, nodes[number].cutOffUntil, told)
    nodes[number].reports.append((at, what))
  }

  /// The node takes in everything that is stored now, because a client has seen more than the node has.
  /// - Returns: false if the log can't be reached.
  mutating func catchUp() -> Bool {
    guard !isCutOff else { return false }
    takeNotice()
    takeLeftOut(isAsked: true)
    for place in node.reports.indices { node.reports[place].at = time }
    takeReports()
    takeEffects()
    return true
  }

  /// The node takes in the news of other nodes about their people.
  mutating func hear() {
    while let first = node.heard.first, first.at <= time {
      node.heard.removeFirst()
      guard let part = NewsPart(first.bytes) else {
        fail(.people, "\(server) can't read what another node tells")
        continue
      }
      let now = now
      room?.heard(part, now: now)
      count(.heardNews)
    }
  }

  /// How long news is delayed at most, unless a node stands still.
  static let heldUpMillisecondsMax: UInt64 = 6_000

  /// Sends news to the other nodes. It may get lost on its way to some or to all, or be delayed together with all later
  /// news.
  mutating func tellOthers(_ bytes: [UInt8]) {
    for other in nodes.indices where other != here && nodes[other].isUp && !isCutOff {
      if !isCalm, time < nodes[other].cutOffUntil || happens(0.02) {
        count(.lostNews)
        continue
      }
      var at = max(nodes[other].heard.last?.at ?? 0, time + delay())
      if !isCalm, happens(0.02) {
        count(.heldUpNews)
        at += UInt64.random(in: 0...World.heldUpMillisecondsMax, using: &random)
      }
      nodes[other].heard.append((at, bytes))
    }
  }
}
