@testable import CanvasCRDT
@testable import RoomLog
@testable import ServerModel
@testable import SyncServer

// Several nodes over one log: how they are cut off from it and from each other, and what they tell each other.

extension World {
  var isCutOff: Bool { time < node.cutOffUntil }

  /// The node loses its connection to the log. Of what was on its way there, the first so much is stored all the same, and
  /// the node learns that only when it is back.
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
    // The loop knows of some of it already.
    if Bool.random(using: &random) {
      for place in node.reports.indices { node.reports[place].at = max(node.reports[place].at, until) }
    }
    // It may have missed more than the log can tell it then.
    if room != nil, happens(0.1) { node.reports = [(until, .lost)] }
  }

  /// The node's process gets no time, as on a machine that is overloaded or has been put to sleep.
  mutating func standStill() {
    guard node.isUp, time >= node.stillUntil else { return }
    tell("\(server) stands still.")
    count(.stoodStill)
    node.stillUntil = time + UInt64.random(in: 50...9_000, using: &random)
    // What it has said to the log arrives there.
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

  /// How long a node takes to see what another has stored. Now and then it is not woken, and finds out by itself.
  mutating func lag() -> UInt64 {
    let soon = delay()
    guard happens(0.1) else { return soon }
    count(.notWoken)
    return soon + UInt64.random(in: 0...1_000, using: &random)
  }

  /// A follower is told something, after all that it is told already.
  mutating func report(_ what: Node.Report, to number: Int, after milliseconds: UInt64) {
    guard nodes[number].isUp, nodes[number].service.room != nil else { return }
    let told = nodes[number].notice.map { $0.at + 1 } ?? 0
    let at = max(nodes[number].reports.last?.at ?? 0, time + milliseconds, nodes[number].cutOffUntil, told)
    nodes[number].reports.append((at, what))
  }

  /// All that is stored by now is taken in at once, because a client has seen more than the node.
  /// - Returns: false if the log can't be asked.
  mutating func catchUp() -> Bool {
    guard !isCutOff else { return false }
    takeNotice()
    takeLeftOut(isAsked: true)
    for place in node.reports.indices { node.reports[place].at = time }
    takeReports()
    takeEffects()
    return true
  }

  /// Hears what other nodes tell of their people.
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

  /// How long news are held up at most, beside a node that stands still.
  static let heldUpMillisecondsMax: UInt64 = 6_000

  /// It may get lost, on its way to some or to all, or be held up with all that follows.
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
