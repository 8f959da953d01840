import CanvasCRDT

// What peers show of themselves: not stored, gathered by the beat, the newest only.

extension Room {
  mutating func presence(_ state: JSONText, from id: MemberID, now: Moment) {
    guard holds(id) else { return }
    let index = Int(id.index)
    members[index]?.peer.state = state
    guard let member = members[index], !member.isPresenceDirty else { return }
    members[index]?.isPresenceDirty = true
    dirtyPresence.append(id.index)
    if member.presenceDueAt <= now.monotonicMilliseconds {
      gather(now)
    } else {
      flushDueAt = min(flushDueAt ?? member.presenceDueAt, member.presenceDueAt)
    }
  }

  /// Who came, who went, and the states that may be shown now; the others wait for their time.
  mutating func takePeerChanges(_ now: Moment) -> PeerChanges {
    var changes = PeerChanges()
    if !pendingLeft.isEmpty {
      changes.left = pendingLeft
      pendingLeft = []
    }
    for actor in pendingJoined {
      guard let index = actors[actor], var peer = members[Int(index)]?.peer else { continue }
      // What it shows of itself comes as presence.
      peer.state = nil
      changes.joined.append(peer)
    }
    if !pendingJoined.isEmpty { pendingJoined = [] }
    if !dirtyPresence.isEmpty { changes.states = takeStates(now) }
    return changes
  }

  private mutating func takeStates(_ now: Moment) -> [PeerState] {
    let time = now.monotonicMilliseconds
    var states: [PeerState] = []
    var waiting: [Int32] = []
    for index in dirtyPresence {
      guard let member = members[Int(index)], let state = member.peer.state else { continue }
      guard member.presenceDueAt <= time else {
        waiting.append(index)
        flushDueAt = min(flushDueAt ?? member.presenceDueAt, member.presenceDueAt)
        continue
      }
      members[Int(index)]?.isPresenceDirty = false
      members[Int(index)]?.presenceDueAt = time &+ limits.presenceMilliseconds
      members[Int(index)]?.stateAt = ring.end
      states.append(PeerState(actor: member.peer.actor, state: state))
    }
    dirtyPresence = waiting
    return states
  }

  /// In as many messages as the bound on one asks for.
  func encode(_ changes: PeerChanges, _ encoding: WireEncoding, into bytes: inout [UInt8]) {
    for actor in changes.left { framing.append(encoding.encode(.leave(actor)), encoding, &bytes) }
    for peer in changes.joined { framing.append(encoding.encode(.join(peer)), encoding, &bytes) }
    let states = changes.states
    var start = 0
    while start < states.count {
      var end = start
      var size: UInt64 = 64
      repeat {
        // The actor and the names of the members beside the state.
        size += UInt64(states[end].state.bytes.count) + 48
        end += 1
      } while end < states.count && size + UInt64(states[end].state.bytes.count) + 48 <= limits.messageBytes
      framing.append(encoding.encode(.presence(Array(states[start..<end]))), encoding, &bytes)
      start = end
    }
  }
}
