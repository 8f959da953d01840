import CanvasCRDT

// Coming and going.

extension Room {
  /// Takes a connection in: it is sent a welcome, then the state or what is newer than it has, then what happens.
  ///
  /// An actor that is here already goes on over the newer connection, and the older one is closed.
  mutating func join(
    _ hello: Hello,
    role: Role,
    encoding: WireEncoding,
    now: Moment,
    using generator: inout some RandomNumberGenerator
  ) -> MemberID? {
    let actor = hello.actor ?? newActor(using: &generator)
    if let older = actors[actor], let member = members[Int(older)] {
      sendAway(member, .actorElsewhere, "the actor joined elsewhere", now: now)
    }
    guard UInt64(actors.count) < limits.connectionsPerRoom else { return nil }
    if hello.overlaps { keepOverlaps(now) }
    // The others' past is behind the newcomer, and what comes in the next beat is not yet told.
    flush(now: now)
    let peer = Peer(
      actor: actor,
      name: hello.name ?? Room.defaultName(actor),
      color: hello.color ?? Room.defaultColor(actor)
    )
    var told = Told(ordinal: ring.end, peers: actors.keys.sorted(), pairs: [], isNew: true)
    let peers = peersToName(encoding, &told)
    let since = honoured(hello.since)
    let id = place(peer, role: role, channel: Channel(encoding, overlaps: hello.overlaps), overlaps: hello.overlaps)
    let index = Int(id.index)
    members[index]?.told = told
    members[index]?.position = since
    let welcome = Welcome(
      room: name,
      actor: actor,
      role: role,
      milliseconds: now.wallMilliseconds,
      limits: limits.roomLimits,
      peers: peers
    )
    post(.welcome(welcome), to: id)
    beginState(of: id, now: now)
    pendingJoined.append(actor)
    gather(now)
    return id
  }

  /// The connection is gone. What it has on its way to the log goes on without it.
  mutating func leave(_ id: MemberID, now: Moment) {
    guard holds(id) else { return }
    remove(id, now: now)
  }

  /// The room is deleted: everyone is sent away, and what is on its way is refused.
  mutating func close(_ code: CloseCode, _ reason: Text, now: Moment) {
    for number in inFlight.keys.sorted() { failed(batch: number) }
    for member in members {
      guard let member else { continue }
      sendAway(member, code, reason, now: now)
    }
  }

  private mutating func sendAway(_ member: Member, _ code: CloseCode, _ reason: Text, now: Moment) {
    effects.append(.close(member.id, code, reason, isBetweenMessages: member.chunk.isEmpty))
    remove(member.id, now: now)
  }

  /// A place in this room's log that a delta can begin at.
  private func honoured(_ since: Cursor?) -> UInt64? {
    guard let since, let cursor = RoomCursor(since), cursor.epoch == epoch, cursor.position <= position
    else { return nil }
    return cursor.position
  }

  private func newActor(using generator: inout some RandomNumberGenerator) -> Identifier {
    var actor = Identifier.random(using: &generator)
    while actors[actor] != nil { actor = Identifier.random(using: &generator) }
    return actor
  }

  private mutating func place(_ peer: Peer, role: Role, channel: Channel, overlaps: Bool) -> MemberID {
    nextSerial &+= 1
    let index: Int32
    if let free = freeMembers.popLast() {
      index = free
    } else {
      index = Int32(members.count)
      members.append(nil)
      lanes.append(Lane(id: MemberID(index: index, serial: 0), channel: channel))
    }
    let id = MemberID(index: index, serial: nextSerial)
    lanes[Int(index)] = Lane(id: id, channel: channel)
    members[Int(index)] = Member(
      id: id,
      role: role,
      channel: channel,
      overlaps: overlaps,
      peer: peer,
      joinedAt: ring.end,
      peersToldBefore: ring.end,
      stage: .live
    )
    if memberCounts[channel.index] == 0 { channelStarts[channel.index] = ring.end }
    memberCounts[channel.index] += 1
    actors[peer.actor] = index
    return id
  }

  private mutating func remove(_ id: MemberID, now: Moment) {
    let index = Int(id.index)
    guard let member = members[index] else { return }
    leaveStream(of: id)
    members[index] = nil
    lanes[index].isPlain = false
    freeMembers.append(id.index)
    memberCounts[member.channel.index] -= 1
    let actor = member.peer.actor
    actors[actor] = nil
    dirtyPresence.removeAll { $0 == id.index }
    if let unannounced = pendingJoined.firstIndex(of: actor) {
      pendingJoined.remove(at: unannounced)
    } else {
      pendingLeft.append(actor)
    }
    if !wantsOverlaps, indexNeededUntil <= now.monotonicMilliseconds {
      self.index = nil
      unsettledShapes = []
    }
    guard !actors.isEmpty else {
      emptied()
      return
    }
    gather(now)
  }

  /// Nobody is left to be told anything.
  private mutating func emptied() {
    pendingOperations = []
    pendingJoined = []
    pendingLeft = []
    dirtyPresence = []
    readyMembers = []
    isEveryoneReady = false
    flushDueAt = nil
    streams = [:]
    // Ordinals go on, so that no place in the ring is ever another.
    while !ring.isEmpty { _ = ring.dropFirst() }
    members = []
    lanes = []
    freeMembers = []
    peersAtStart = []
    pairsAtStart = []
  }

  /// Everyone here, as a welcome has them. What would make it longer than a message may be comes behind the state: first
  /// what they show of themselves, and then, of thousands, who they are.
  private func peersToName(_ encoding: WireEncoding, _ told: inout Told) -> [Peer] {
    var peers = currentPeers()
    var left = Int(clamping: limits.messageBytes) - Room.welcomeBytesMax
    let stateBytes = peers.reduce(0) { $0 + ($1.state?.bytes.count ?? 2) + $1.bytesMax }
    guard stateBytes > left else { return peers }
    told.owesStates = true
    for index in peers.indices { peers[index].state = nil }
    let named = peers.prefix { peer in
      left -= peer.bytesMax
      return left >= 0
    }
    told.unnamed = Set(peers[named.endIndex...].map { $0.actor })
    return Array(named)
  }

  /// All of a welcome but its peers, at most.
  private static let welcomeBytesMax = 1_024

  /// Everyone here, by actor, with the newest of what they show.
  func currentPeers() -> [Peer] {
    var peers: [Peer] = []
    peers.reserveCapacity(actors.count)
    for actor in actors.keys.sorted() {
      if let index = actors[actor], let member = members[Int(index)] { peers.append(member.peer) }
    }
    return peers
  }

  private static func defaultName(_ actor: Identifier) -> Text { Text("Guest \(actor.lastGroup)") }

  /// One that follows from the actor, and that is neither too pale nor too dark to be told from a white canvas.
  private static func defaultColor(_ actor: Identifier) -> Color {
    Color(hue: Double(actor.packed % 360) / 360, saturation: 0.7, brightness: 0.8)
  }
}

extension Peer {
  /// What it takes in a message at most, but for its state: each byte of a name may be written as six.
  fileprivate var bytesMax: Int { 6 * name.utf8Count + 96 }
}
