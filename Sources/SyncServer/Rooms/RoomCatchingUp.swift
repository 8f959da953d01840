import CanvasCRDT

// Bringing a connection up to date that has nothing yet, or has fallen off the ring: the newest values of what has
// changed since its place in the log, then what else it missed, and it is back on the ring.

extension Room {
  /// Gives a connection a stream of what it lacks.
  mutating func beginState(of id: MemberID, now: Moment) {
    // The stream goes on where a beat ends.
    flush(now: now)
    let index = Int(id.index)
    leaveStream(of: id)
    guard let member = members[index] else { return }
    // What was forgotten since can't be told as a difference.
    let since = member.position.flatMap { $0 >= canvas.forgottenUpTo ? $0 : nil }
    countState(of: member, isWhole: since == nil)
    let number = stream(for: member.channel, since: since, needsPairs: member.overlaps)
    streams[number]?.users += 1
    members[index]?.stage = .state(stream: number, next: 0)
    // Beats since then told of peers only, and the newcomer knows them from its welcome, or will from what it missed.
    let isCurrent = streams[number]?.position == position
    lanes[index].place = isCurrent ? ring.end : streams[number]?.ordinal ?? ring.end
    lanes[index].isPlain = false
  }

  private mutating func countState(of member: Member, isWhole: Bool) {
    switch (member.told?.isNew == true, isWhole) {
    case (true, true): counts.joinsWhole += 1
    case (true, false): counts.joinsDifference += 1
    case (false, true): counts.catchUpsWhole += 1
    case (false, false): counts.catchUpsDifference += 1
    }
  }

  /// A stream that is there already and from which the ring goes on, or a new one.
  private mutating func stream(for channel: Channel, since: UInt64?, needsPairs: Bool) -> Int {
    let encoding = channel.encoding
    // What the ring has from before somebody was in the channel, it has for other channels only.
    let start = max(ring.start, channelStarts[channel.index])
    for (number, stream) in streams {
      guard stream.encoding == encoding, stream.since == since, !needsPairs || stream.pairs != nil else { continue }
      // A small room's state is shorter than an older one and all the beats since.
      guard stream.position == position || stream.count > 4 && stream.ordinal >= start else { continue }
      return number
    }
    evictStreams()
    counts.statesMade += 1
    let shapesMax = StateStream.shapesMax(encoding, messageBytes: limits.messageBytes)
    streams[nextStream] = StateStream(
      encoding: encoding,
      since: since,
      position: position,
      ordinal: ring.end,
      pairs: wantsOverlaps ? index?.pairs : nil,
      parts: parts(since: since, shapesMax: shapesMax)
    )
    nextStream += 1
    return nextStream - 1
  }

  private func parts(since: UInt64?, shapesMax: Int) -> [StatePart] {
    guard let since, let registers = recent.registers(since: since) else {
      return canvas.stateParts(since: since, shapesMax: shapesMax)
    }
    return canvas.stateParts(since: since, shapesMax: shapesMax) { registers[$0] ?? [] }
  }

  /// Makes room for a new stream: the oldest goes, and who was in it begins anew with a newer one.
  private mutating func evictStreams() {
    dropStaleStreams()
    while UInt64(streams.count) >= limits.stateStreams, let oldest = streams.keys.min() { streams[oldest] = nil }
  }

  /// Streams that nobody reads any more, and that nobody new could.
  mutating func dropStaleStreams() {
    for (number, stream) in streams where stream.users == 0 && stream.position != position {
      if stream.ordinal < ring.start { streams[number] = nil }
    }
  }

  mutating func leaveStream(of id: MemberID) {
    guard case .state(let number, _) = members[Int(id.index)]?.stage else { return }
    members[Int(id.index)]?.stage = .live
    streams[number]?.users -= 1
  }

  /// A connection has had all of its stream: what else it missed comes next.
  mutating func finishState(of index: Int, _ stream: StateStream, now: Moment) {
    if members[index]?.told?.wantsDigest == true { flush(now: now) }
    guard let member = members[index] else { return }
    members[index]?.position = stream.position
    // Where the ring has gone on without it, there is another stream to come, and then all that was missed at once.
    guard lanes[index].place >= ring.start else { return }
    let notices = notices(for: member, pairs: stream.pairs ?? [])
    if member.told?.wantsDigest == true {
      let digest = encode(.digest(cursor: cursor, hash: canvas.digest), member.channel.encoding)
      members[index]?.enclose(Member.Letter(after: ring.end, bytes: digest, isDigest: true))
    }
    members[index]?.told = nil
    // With those whom the next beat brings.
    members[index]?.peersToldBefore = ring.end &+ 1
    members[index]?.stage = notices.isEmpty ? .live : .notices(notices, next: 0)
  }

  /// The difference between what a connection was told and what is, beside operations.
  private func notices(for member: Member, pairs: [ShapePair]) -> [[UInt8]] {
    guard let told = member.told else { return [] }
    let encoding = member.channel.encoding
    var buffers: [[UInt8]] = []
    // Where it gets all beats since, they tell.
    if told.ordinal < lanes[Int(member.id.index)].place || told.owesStates {
      var bytes: [UInt8] = []
      encode(peerChanges(since: told, for: member), encoding, into: &bytes)
      if !bytes.isEmpty { buffers.append(bytes) }
    }
    guard member.overlaps else { return buffers }
    let standing = Set(pairs)
    let began = pairs.filter { !told.pairs.contains($0) }
    let ended = told.pairs.filter { !standing.contains($0) }.sorted()
    // Who has only just come is told, even if it is nothing.
    if told.isNew || !began.isEmpty || !ended.isEmpty {
      for notice in self.notices(began: began, ended: ended) { buffers.append(encode(.overlaps(notice), encoding)) }
    }
    return buffers
  }

  private func peerChanges(since told: Told, for member: Member) -> PeerChanges {
    var changes = PeerChanges()
    for actor in told.peers where actors[actor] == nil { changes.left.append(actor) }
    for peer in currentPeers() {
      guard let index = actors[peer.actor], let other = members[Int(index)], other.id != member.id else { continue }
      let isNews = other.joinedAt >= told.ordinal || told.unnamed.contains(peer.actor)
      if isNews {
        var newcomer = peer
        newcomer.state = nil
        changes.joined.append(newcomer)
      }
      if let state = peer.state, isNews || other.stateAt >= told.ordinal || told.owesStates {
        changes.states.append(PeerState(actor: peer.actor, state: state))
      }
    }
    return changes
  }

  /// The ring is about to drop its first beat: who would have got it next remembers what it had been told until then.
  mutating func noteWhoFallsOff() {
    let ordinal = ring.start
    var peersThere: [Identifier]?
    for index in lanes.indices where lanes[index].place <= ordinal {
      guard let member = members[index] else { continue }
      // A beat that is under way is as good as sent.
      let isUnderWay = member.chunkKind == .beat && !member.chunk.isEmpty
      guard lanes[index].place &+ (isUnderWay ? 1 : 0) == ordinal else { continue }
      // Who has not yet been told what it missed before keeps to that.
      guard member.told == nil else { continue }
      var peers = peersThere ?? peersAtStart.sorted()
      peersThere = peers
      if member.peersToldBefore > ordinal {
        var known = peersAtStart
        for later in ordinal..<min(ring.end, member.peersToldBefore) {
          known.formUnion(ring[later].peers.joined.map { $0.actor })
        }
        peers = known.sorted()
      }
      let wantsDigest = member.letters[member.lettersTaken...].contains { $0.isDigest }
      members[index]?.dropDigests()
      if let position = member.position { members[index]?.position = max(position, positionAtStart) }
      lanes[index].isPlain = false
      members[index]?.told = Told(
        ordinal: ordinal,
        peers: peers,
        pairs: member.overlaps ? pairsAtStart : [],
        wantsDigest: wantsDigest
      )
      counts.caughtUp += 1
    }
  }
}
