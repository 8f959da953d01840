import CanvasCRDT
import Testing

@testable import SyncServer

// A history: some hundred steps in which anything may happen, then peace, and then everyone has to agree.

extension Simulation {
  mutating func run(steps: Int) {
    for _ in 0..<steps {
      time += UInt64.random(in: 1...25, using: &random)
      trouble()
      otherEvents()
      if happens(0.4) { edit(Int.random(in: peers.indices, using: &random)) }
      turn()
    }
  }

  private mutating func trouble() {
    if room == nil {
      if happens(0.2) { openRoom() }
    } else if happens(0.008) {
      crash()
    }
    if happens(0.02) { takeSnapshot() }
    if happens(0.01) { writeFromElsewhere() }
    if happens(0.01) { log.unavailableUntil = time + UInt64.random(in: 10...300, using: &random) }
    if happens(0.03), let line = lines.indices.randomElement(using: &random) { drop(line) }
    if happens(0.02) {
      let peer = Int.random(in: peers.indices, using: &random)
      peers[peer].stalledUntil = time + UInt64.random(in: 50...2_000, using: &random)
      count(.stall)
    }
    if happens(0.01), let peer = peers.indices.randomElement(using: &random) {
      peers[peer].wallError = Int64.random(in: -600_000...600_000, using: &random)
    }
    if happens(0.005) {
      // Someone comes back before the server knows that it was gone.
      let peer = Int.random(in: peers.indices, using: &random)
      if let line = peers[peer].line {
        hangUp(line)
        run(peer) { $0.disconnected(closeCode: nil, at: $1) }
      }
      run(peer) { $0.start(at: $1) }
    }
  }

  /// What the pinned histories have none of.
  private mutating func otherEvents() {
    guard var chance = otherChance else { return }
    if Double.random(in: 0..<1, using: &chance) < 0.2 {
      show(Int.random(in: peers.indices, using: &chance), Int.random(in: 0..<1_000, using: &chance))
    }
    if Double.random(in: 0..<1, using: &chance) < 0.03 { request(using: &chance) }
    let isLull = Double.random(in: 0..<1, using: &chance) < 0.003
    otherChance = chance
    // Everyone goes on listening, and the room comes to rest.
    for _ in 0..<(isLull ? 60 : 0) {
      time += 250
      turn()
    }
  }

  /// One turn of everybody's loop.
  mutating func turn() {
    stepLog()
    stepRest()
    stepRoom()
    stepLines()
    for index in peers.indices {
      if peers[index].wantsConnection, time >= peers[index].connectsAt { connect(index) }
      if let at = peers[index].wakeAt, at <= time {
        peers[index].wakeAt = nil
        run(index) { $0.wake(at: $1) }
      }
    }
    if lines.count > 64 { lines.compact(&peers) }
  }

  /// No more trouble, until nobody has anything left to say.
  mutating func settle() {
    log.unavailableUntil = 0
    findOut()
    for index in peers.indices {
      peers[index].stalledUntil = 0
      peers[index].drain = 1_000_000
    }
    if room == nil { openRoom() }
    for index in peers.indices { run(index) { $0.start(at: $1) } }
    // The longest pause between tries is fifteen seconds.
    turnUntilQuiet()
    for index in peers.indices { run(index) { $0.askDigest(at: $1) } }
    turnUntilQuiet()
  }

  private mutating func turnUntilQuiet() {
    for _ in 0..<4_000 {
      time += 20
      turn()
      if isQuiet { return }
    }
  }

  private var isQuiet: Bool {
    guard let room, log.appends.isEmpty, log.reports.isEmpty, room.flushDueAt == nil else { return false }
    guard lines.allSatisfy({ !$0.isOpen || $0.toServer.isEmpty && $0.toClient.isEmpty && !$0.isBlocked }),
      lines.allSatisfy({ $0.isOpen || $0.member == nil }), !room.hasUnsent
    else { return false }
    return peers.allSatisfy { peer in
      peer.replica.state == .live && peer.replica.unsentCount == 0 && peer.replica.cursor == room.cursor
        && seesWhatOthersShow(peer)
    }
  }

  private func seesWhatOthersShow(_ peer: SimulatedPeer) -> Bool {
    peers.allSatisfy { other in
      let seen = peer.replica.peers.first { $0.actor == other.replica.actor }
      return other.replica.actor == peer.replica.actor || seen != nil && (seen?.state ?? .emptyObject) == other.shown
    }
  }

  /// What has to hold at the end, whatever happened.
  func check() {
    let comment: Comment = "seed \(seed)"
    guard let room else {
      Issue.record(comment)
      return
    }
    var fold = Canvas()
    var stored: Set<Stamp> = []
    var storedShapes: [Stamp: Identifier] = [:]
    for record in log.records {
      for operation in record.operations {
        fold.apply(operation)
        stored.insert(operation.at)
        storedShapes[operation.at] = operation.shape
      }
    }
    #expect((room.canvas == fold) == true, comment)
    #expect(acknowledged.isSubset(of: stored), comment)
    #expect(seen.isSubset(of: stored), comment)
    for (index, peer) in peers.enumerated() {
      let comment: Comment = "seed \(seed), peer \(index), \(peer.replica.state)"
      #expect(peer.replica.state == .live, comment)
      #expect(peer.replica.unsentCount == 0, comment)
      #expect((peer.replica.canvas == fold) == true, comment)
      #expect(peer.replica.confirmedDigest == room.canvas.digest, comment)
      #expect(!peer.verdicts.contains(.disagrees), comment)
      #expect(peer.verdicts.last == .agrees, comment)
      #expect(peer.failures.isEmpty, comment)
      #expect(Set(peer.replica.peers.map { $0.actor }) == others(than: peer), comment)
      #expect(seesWhatOthersShow(peer), comment)
      if peer.replica.configuration.overlaps {
        var outlines: [(identifier: Identifier, outline: Outline)] = []
        for shape in fold.shapes where shape.properties.visible { outlines.append((shape.id, shape.outline)) }
        #expect(peer.hasPairs && peer.pairs == Set(OverlapIndex(outlines).pairs), comment)
      }
      for edit in peer.rejected {
        guard let at = edit.operation.at else { continue }
        // Of an edit that was never sent, because its shape was refused, the stamp may have been given to another.
        #expect(storedShapes[at] != edit.operation.shape, "seed \(seed), peer \(index), \(edit.code)")
        for property in edit.operation.set.assigned {
          #expect(fold.stamp(of: property, in: edit.operation.shape) != at, comment)
        }
      }
    }
    // What was ever taken is shown, or something newer is.
    for record in log.records {
      for operation in record.operations {
        for property in operation.set.assigned {
          let winner = fold.winner(of: property, in: operation.shape)
          #expect(winner.map { $0 >= operation.at } == true, comment)
        }
      }
    }
  }

  private func others(than peer: SimulatedPeer) -> Set<Identifier> {
    Set(peers.map { $0.replica.actor }).subtracting([peer.replica.actor])
  }
}

extension [Line] {
  /// Lines that both sides have given up are of no use.
  mutating func compact(_ peers: inout [SimulatedPeer]) {
    self = filter { $0.isOpen || $0.member != nil }
    for index in peers.indices where peers[index].line != nil {
      peers[index].line = firstIndex { $0.isOpen && $0.peer == index }
    }
  }
}
