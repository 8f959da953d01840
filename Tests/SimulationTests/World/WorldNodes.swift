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
    // Most of the time nothing is on its way to the log. Then half of the time, the line breaks at the next append.
    node.breaksAtAppend = node.appends.isEmpty && happens(0.5)
    guard !node.breaksAtAppend else { return }
    tell("\(server) does not reach the log any more.")
    count(.cutOff)
    let until = time + UInt64.random(in: 10...3_000, using: &random)
    node.cutOffUntil = until
    let appends = node.appends
    node.appends = []
    node.heard = []
    node.missesNews = true
    let kept = Int.random(in: 0...appends.count, using: &random)
    if !appends.isEmpty { count(.undecided) }
    for (place, append) in appends.enumerated() {
      guard place < kept, !append.fails else {
        count(.undecidedLost)
        refuse(append.request.id, .unavailable(World.cutOffFault), at: until)
        continue
      }
      do throws(LogError) {
        try commit(append)
        count(.undecidedStored)
      } catch {
        refuse(append.request.id, error, at: until)
      }
    }
    // Half of the time, the pending notifications arrive only after the node has reconnected.
    if Bool.random(using: &random) {
      for place in node.reports.indices { node.reports[place].at = max(node.reports[place].at, until) }
    }
    // The log might have dropped records that the node missed while it was disconnected.
    if node.isFollowing, happens(0.1) { node.reports = [(until, .unfollowed(id: nil, room: Disk.roomName))] }
    // Half of the time, the log refuses what it was asked. Otherwise it answers when it is reached again.
    guard Bool.random(using: &random) else { return }
    let questions = node.questions
    node.questions = []
    for (_, request) in questions {
      node.refusals += 1
      report(.failed(id: request.id, room: request.room, .unavailable(World.cutOffFault)))
    }
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
        refuse(append.request.id, error, at: time)
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

  /// Hands the node the messages of other nodes about their people.
  mutating func hear() {
    if node.missesNews, !isCutOff {
      node.missesNews = false
      report(.missed)
    }
    while let first = node.heard.first, first.at <= time {
      node.heard.removeFirst()
      if node.isFollowing, NodeNews(first.bytes)?.rooms.isEmpty == false { count(.heardNews) }
      report(.heard(first.bytes))
    }
  }

  private mutating func report(_ news: BusNews) {
    node.server?.hub.busTold(news)
    serve()
  }

  /// The longest delay of a message between nodes, unless a node is suspended.
  static let heldUpMillisecondsMax: UInt64 = 6_000

  /// Sends a message to the other nodes. The message can be lost for some or all nodes, or be delayed together with all
  /// later messages.
  mutating func tellOthers(_ bytes: [UInt8]) {
    // News of people is rare among the messages, and gets lost more often for that.
    let lostShare = NodeNews(bytes)?.rooms.isEmpty == false ? 0.15 : 0.02
    for other in nodes.indices where other != here && nodes[other].isUp && !isCutOff {
      if !isCalm, time < nodes[other].cutOffUntil || happens(lostShare) {
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
