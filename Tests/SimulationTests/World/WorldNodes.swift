@testable import CanvasCRDT
@testable import RoomLog
@testable import ServerModel
@testable import SyncServer

// Several nodes over one log: how they lose the log and each other, and which messages they exchange.

extension World {
  var isCutOff: Bool { time < node.cutOffUntil }

  /// Disconnects the node from the log. Some of its pending appends are stored nevertheless: a random number of the
  /// oldest ones. The node learns this after it has reconnected.
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
    // Half of the time, the pending notifications arrive only after the node has reconnected.
    if Bool.random(using: &random) {
      for place in node.reports.indices { node.reports[place].at = max(node.reports[place].at, until) }
    }
    // The log might have dropped records that the node missed while it was disconnected.
    if room != nil, happens(0.1) { node.reports = [(until, .lost)] }
  }

  /// Suspends the node's process, as on an overloaded machine.
  mutating func standStill() {
    guard node.isUp, time >= node.stillUntil else { return }
    tell("\(server) stands still.")
    count(.stoodStill)
    node.stillUntil = time + UInt64.random(in: 50...9_000, using: &random)
    // The log still gets some of the node's pending appends.
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

  /// The delay until a node learns what another node has stored. If the notification is lost, the node finds out by
  /// polling.
  mutating func lag() -> UInt64 {
    let soon = delay()
    guard happens(0.1) else { return soon }
    count(.notWoken)
    return soon + UInt64.random(in: 0...1_000, using: &random)
  }

  /// Notifies a node that has the room open, after all earlier notifications.
  mutating func report(_ what: Node.Report, to number: Int, after milliseconds: UInt64) {
    guard nodes[number].isUp, nodes[number].service.room != nil else { return }
    let told = nodes[number].notice.map { $0.at + 1 } ?? 0
    let at = max(nodes[number].reports.last?.at ?? 0, time + milliseconds, nodes[number].cutOffUntil, told)
    nodes[number].reports.append((at, what))
  }

  /// Lets the node read everything that is stored now, because a client has seen more than the node.
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

  /// Delivers the messages of other nodes about their members.
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

  /// The longest delay of a message between nodes, unless a node is suspended.
  static let heldUpMillisecondsMax: UInt64 = 6_000

  /// Sends a message to the other nodes. The message can be lost for some or all nodes, or be delayed together with all
  /// later messages.
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
