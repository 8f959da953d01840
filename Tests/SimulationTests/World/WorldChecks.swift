@testable import CanvasCRDT
@testable import ServerModel
@testable import SyncServer
@testable import sync_client

// The checks after each iteration, and those at the end of a history.

extension World {
  mutating func checkBounds() {
    guard let room = open?.room else { return }
    let kept = room.kept
    if UInt64(kept.beats) > limits.ringBeats { fail(.bounds, "\(kept.beats) beats are kept") }
    if kept.beats == 0, kept.beatBytes > 0 { fail(.bounds, "\(kept.beatBytes) bytes are kept of no beat") }
    // Streams with short states have a limit of their own, which is four times `stateStreams`. So five times
    // `stateStreams` is allowed for all streams together.
    if UInt64(kept.states) > 5 * limits.stateStreams { fail(.bounds, "\(kept.states) states are under way") }
    if kept.waiting > 0 { count(.waitedForState) }
    for index in lines.indices where isServed(index) && lines[index].connection.closure == nil {
      let line = lines[index]
      guard let member = line.member, room.hasPausedReading(from: member) else { continue }
      count(.pausedReading)
      if !line.connection.isReadingPaused {
        fail(.bounds, "\(parties[line.party].name) is read from, against what the room says")
      }
    }
    // The longest broadcast. It can contain everything that arrived at once.
    let beatBytesMax = max(limits.messageBytes, 16_384, UInt64(history.dice.pasteMax) * 400)
    let shapes = UInt64(room.canvas.liveCount)
    mostShapes = max(mostShapes, shapes)
    // A newcomer is sent all overlapping pairs at once, at 32 bytes each.
    let pairBytesMax = 32 * min(limits.overlapPairs, mostShapes * mostShapes / 2)
    let readerBytesMax =
      (limits.waitingAnswerBytes + 2 * beatBytesMax + pairBytesMax) * UInt64(max(1, room.memberCount))
    if UInt64(kept.readerBytes) > readerBytesMax { fail(.bounds, "\(kept.readerBytes) bytes wait for readers") }
  }

  /// Checks that the log's newest snapshot counts the operations of its own moment.
  mutating func checkSnapshot() {
    guard let place = disk.summary?.snapshot else { return }
    let records = disk.records.prefix { $0.position <= place.position }
    let count = records.reduce(0) { $0 + $1.operations.count }
    if place.operations != count { fail(.past, "a snapshot of \(count) operations counts \(place.operations)") }
  }

  // MARK: Quiet

  var isQuiet: Bool {
    guard nodes.allSatisfy(isQuiet), nodes.contains(where: { $0.room.open != nil }) else { return false }
    guard lines.allSatisfy({ !$0.isOpen || $0.toServer.isEmpty && $0.isRead && !$0.connection.isFull }),
      lines.allSatisfy({ $0.isOpen || !$0.isServed })
    else { return false }
    return parties.allSatisfy { isQuiet($0) }
  }

  private func isQuiet(_ node: Node) -> Bool {
    guard node.isIdle else { return false }
    return node.room.open.map { $0.room.flushDueAt == nil && !$0.room.hasUnsent } ?? true
  }

  /// The room at the node that a party is connected to.
  private func room(of party: Party) -> Room? { party.line.flatMap { nodes[lines[$0].node].room.open?.room } }

  private func isQuiet(_ party: Party) -> Bool {
    if let writer = party.writer { return writer.unansweredCount == 0 && writer.state == .joined }
    guard let replica = party.replica else { return true }
    return replica.state == .live && replica.unsentCount == 0 && replica.cursor == room(of: party)?.cursor
      && !replica.digestCheck.isWanted && seesWhatOthersShow(party, replica)
  }

  /// Describes what is still pending, for the message of a failed check.
  var waitingWords: String {
    guard nodes.contains(where: { $0.room.open != nil }) else { return "there is no room" }
    if let asked = nodes.lazy.compactMap({ $0.exchanges.first }).first {
      return "a request that \(asked.exchange.words) has no answer"
    }
    for party in parties where !isQuiet(party) {
      if let writer = party.writer {
        return "\(party.name) waits for \(writer.unansweredCount) answers, \(writer.state)"
      }
      guard let replica = party.replica else { continue }
      if replica.state != .live { return "\(party.name) is \(replica.state)" }
      if replica.unsentCount > 0 { return "\(party.name) has \(replica.unsentCount) edits that are not taken" }
      if replica.cursor != room(of: party)?.cursor { return "\(party.name) has not come as far as the room" }
      if replica.digestCheck.isWanted { return "\(party.name) asks whether it agrees" }
      let seen = replica.peers.map { "\($0.actor)" }.sorted().joined(separator: ", ")
      for other in parties {
        guard let actor = other.replica?.actor, let peer = replica.peer(actor) else { continue }
        guard (peer.state ?? .emptyObject) != other.shown, actor != replica.actor else { continue }
        return "\(party.name) does not see what \(other.name) shows"
      }
      let there = actors.map { "\($0)" }.sorted().joined(separator: ", ")
      return "\(party.name) sees \(seen), and \(replica.unnamedCount) more; \(there) are there"
    }
    return "the log, or the network"
  }

  private var actors: Set<Identifier> {
    Set(parties.compactMap { $0.replica?.actor ?? $0.writer?.actor })
  }

  /// Whether the room has more people than it lists by name.
  private var isCrowd: Bool { UInt64(actors.count) > limits.namedPeople }

  private func seesWhatOthersShow(_ party: Party, _ replica: Replica) -> Bool {
    replica.peers.count + replica.unnamedCount + 1 == actors.count
      && parties.allSatisfy { other in
        guard let actor = other.replica?.actor, actor != replica.actor else { return true }
        // In a crowd, the server does not list everybody.
        guard let seen = replica.peer(actor) else { return isCrowd }
        return (seen.state ?? .emptyObject) == other.shown
      }
  }

  // MARK: The end

  /// The checks at the end, when nothing is pending. They hold for every history.
  mutating func check() {
    guard failures.isEmpty else { return }
    var fold = Canvas()
    var stored: [Stamp: Identifier] = [:]
    for record in disk.records {
      for operation in record.taken {
        fold.apply(operation)
        stored[operation.at] = operation.shape
      }
    }
    for number in nodes.indices {
      here = number
      if let open { checkAgreement(open.room, fold) }
    }
    checkPromises(fold, stored)
    checkGivenStamps()
    for index in parties.indices {
      guard let room = room(of: parties[index]) else {
        return fail(.agreement, "\(parties[index].name) has no room")
      }
      checkParty(index, room, fold)
    }
  }

  private mutating func checkAgreement(_ room: Room, _ fold: Canvas) {
    if room.canvas.digest != fold.digest { fail(.agreement, "\(server)'s room is not what its log adds up to") }
    let operations = disk.records.reduce(0) { $0 + $1.operations.count }
    if room.operationCount != operations {
      fail(.agreement, "the room has counted \(room.operationCount) operations, and its log has \(operations)")
    }
    guard !ledger.hasForgotten else { return }
    var rest = fold
    var kept = room.canvas
    // The room might have forgotten deletions from before `forgottenBefore`, because it refuses all operations from
    // before that time. So the comparison ignores these deletions.
    rest.forgetErasures(before: room.forgottenBefore)
    kept.forgetErasures(before: room.forgottenBefore)
    if kept != rest {
      let difference = Drawing(kept).difference(from: Drawing(rest)) ?? "what is not shown"
      fail(.agreement, "the room's values are not those of its log: \(difference)")
    }
  }

  /// Checks that a server gives each stamp only once, to those who write over HTTP without stamps.
  private mutating func checkGivenStamps() {
    guard nodes.count == 1 else { return }
    var shapes: [Stamp: Identifier] = [:]
    for operation in disk.records.lazy.flatMap(\.operations) where ledger.stampedActors.contains(operation.at.actor) {
      let other = shapes.updateValue(operation.shape, forKey: operation.at)
      if let other, other != operation.shape { fail(.stamps, "\(other) and \(operation.shape) have one stamp") }
    }
  }

  private mutating func checkPromises(_ fold: Canvas, _ stored: [Stamp: Identifier]) {
    for stamp in ledger.acknowledged.subtracting(ledger.gone).sorted() where stored[stamp] == nil {
      return fail(.durability, "\(stamp) was acknowledged, and is not in the log")
    }
    for stamp in ledger.seen.subtracting(ledger.gone).sorted() where stored[stamp] == nil {
      return fail(.durability, "\(stamp) was seen, and is not in the log")
    }
    var values: Set<String> = []
    for record in disk.records {
      for operation in record.taken { values.formUnion(Ledger.keys(operation.shape, operation.set)) }
    }
    if let key = ledger.promised.subtracting(values).min() {
      return fail(.durability, "a request was told that \(key) is durable, and it is not in the log")
    }
    if let key = ledger.refusedKeys.intersection(values).subtracting(ledger.promised).min() {
      return fail(.refusals, "a request was told that \(key) was refused, and it is in the log")
    }
    for (party, register) in ledger.missing(from: values) {
      return fail(.survival, "\(register.property) of \(register.shape), written by \(parties[party].name), is nowhere")
    }
    // A refused operation must not be in the log, unless an earlier attempt of its writer may have been stored (W7).
    let isCertain = !ledger.hasDoubles && !ledger.hasForgotten
    let forgotten = nodes.compactMap { $0.room.open?.room.refusedBefore }.max() ?? 0
    for (_, at, operation) in ledger.refused
    where isCertain && stored[at] == operation.shape && at.milliseconds >= forgotten && !ledger.undecided.contains(at) {
      for property in operation.set.assigned where fold.stamp(of: property, in: operation.shape) == at {
        return fail(.refusals, "\(operation.shape) at \(at) was refused, and is in the log")
      }
    }
    // Checks that each accepted value, or a newer one, is in the room. A room that has forgotten deletions can't be
    // checked.
    guard !ledger.hasForgotten else { return }
    for record in disk.records {
      for operation in record.taken {
        for property in operation.set.assigned {
          let winner = fold.winner(of: property, in: operation.shape)
          if winner.map({ $0 < operation.at }) ?? true {
            return fail(.durability, "\(property) of \(operation.shape) at \(operation.at) has vanished")
          }
        }
      }
    }
  }

  /// Whether a replica's digest may differ from the room's. The replica then loads the room anew. This is so if a
  /// restored copy of the log lacked records, if the room forgot a deletion before the replica received it, or if the
  /// log lost records of which the replica has received a part. A standby that still has a deleted room can lack its
  /// last records.
  func mayBeMisled(_ party: Party) -> Bool {
    let wentBack = happened[.wentBack] != nil || happened[.deletionLost] != nil
    return happened[.restored] != nil || happened[.forgottenEarly] != nil || party.hadPart && wentBack
  }

  private mutating func checkParty(_ index: Int, _ room: Room, _ fold: Canvas) {
    let party = parties[index]
    if let writer = party.writer {
      if writer.unansweredCount > 0 { fail(.waiting, "\(party.name) waits for answers") }
      return
    }
    guard let replica = party.replica else { return }
    if replica.confirmedDigest != room.canvas.digest { fail(.agreement, "\(party.name) has another drawing") }
    if let difference = Drawing(replica.canvas).difference(from: Drawing(room.canvas)) {
      fail(.agreement, "\(party.name) shows another drawing: \(difference)")
    }
    if let broken = replica.brokenPromise { fail(.replica, "\(party.name): \(broken)") }
    if party.screen != Dictionary(uniqueKeysWithValues: replica.canvas.shapes.map { ($0.id, $0) }) {
      fail(.replica, "\(party.name) has not told its host of every change")
    }
    if party.verdicts.last != .agrees, !(mayBeMisled(party) && party.verdicts.last == .disagrees) {
      fail(.digests, "\(party.name) was not told that it agrees")
    }
    let others = actors.subtracting([replica.actor])
    let seen = Set(replica.peers.map(\.actor))
    if isCrowd {
      count(.unnamed)
      // The people whom a client knows by name and those whom it only counts are together all other people. It knows as
      // many names as the limit allows.
      let isCounted = replica.peers.count + replica.unnamedCount == others.count
      if !seen.isSubset(of: others) || !isCounted || seen.count + 1 < limits.namedPeople {
        fail(.people, "\(party.name) sees \(seen.count) people and counts \(replica.unnamedCount) of \(others.count)")
      }
    } else if seen != others {
      fail(.people, "\(party.name) sees other people than there are")
    }
    guard replica.configuration.overlaps else { return }
    // If too many pairs overlap, the server sends no pairs.
    if room.overlaps.settled?.index.isCrowded ?? false { return count(.crowded) }
    var outlines: [(identifier: Identifier, outline: Outline)] = []
    for shape in fold.shapes where shape.properties.visible { outlines.append((shape.id, shape.outline)) }
    if !party.hasPairs || party.pairs != Set(OverlapIndex(outlines).pairs) {
      fail(.overlaps, "\(party.name) was told of other pairs than overlap")
    }
  }
}
