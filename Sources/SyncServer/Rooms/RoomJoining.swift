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
      effects.append(.close(member.id, .actorElsewhere, "the actor joined elsewhere"))
      remove(member.id, now: now)
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
    let peers = currentPeers()
    let since = honoured(hello.since)
    let id = place(peer, role: role, channel: Channel(encoding, overlaps: hello.overlaps), overlaps: hello.overlaps)
    let index = Int(id.index)
    members[index]?.told = Told(ordinal: ring.end, peers: peers.map { $0.actor }, pairs: [], isNew: true)
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
      effects.append(.close(member.id, code, reason))
      remove(member.id, now: now)
    }
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
