import CanvasCRDT

// What goes out. A connection takes what it can; the rest stays where it is, in buffers that all share.

extension Room {
  /// Whether a connection took all that there is for it.
  enum Sent: Sendable { case everything, untilWritable }

  /// Offers what is new to all who can take it. `write` is handed whole frames, or the rest of some, and returns how many
  /// of the bytes were taken; who takes less than all is not asked again before `writable`.
  mutating func send(now: Moment, _ write: (MemberID, UnsafeRawBufferPointer) -> Int) {
    let ready = readyMembers
    readyMembers = []
    if isEveryoneReady {
      isEveryoneReady = false
      for index in ready where members.indices.contains(Int(index)) { members[Int(index)]?.isReady = false }
      sendNewestBeat(write)
      for index in lanes.indices
      where !lanes[index].isBlocked && !(lanes[index].isPlain && lanes[index].place == ring.end) {
        send(to: index, now: now, write)
      }
    } else {
      for index in ready {
        guard members.indices.contains(Int(index)), members[Int(index)]?.isReady == true else { continue }
        members[Int(index)]?.isReady = false
        if !lanes[Int(index)].isBlocked { send(to: Int(index), now: now, write) }
      }
    }
  }

  /// The connection takes more.
  @discardableResult
  mutating func writable(
    _ id: MemberID,
    now: Moment,
    _ write: (MemberID, UnsafeRawBufferPointer) -> Int
  ) -> Sent {
    guard holds(id) else { return .everything }
    lanes[Int(id.index)].isBlocked = false
    send(to: Int(id.index), now: now, write)
    return lanes[Int(id.index)].isBlocked ? .untilWritable : .everything
  }

  /// Whether `send` has anything to offer.
  var hasUnsent: Bool { isEveryoneReady || !readyMembers.isEmpty }

  /// The short way, which nearly all go in a busy room: all that they lack is the newest beat, as everyone gets it.
  private mutating func sendNewestBeat(_ write: (MemberID, UnsafeRawBufferPointer) -> Int) {
    guard !ring.isEmpty else { return }
    let last = ring.end &- 1
    let beat = ring[last]
    for channel in 0..<Channel.count where memberCounts[channel] > 0 && !beat.bytes[channel].isEmpty {
      let bytes = beat.bytes[channel]
      bytes.withUnsafeBytes { bytes in
        for index in lanes.indices {
          let lane = lanes[index]
          guard lane.isPlain, lane.place == last, lane.channel.index == channel, !lane.isBlocked else { continue }
          // Nobody is told of oneself.
          if !beat.peers.isEmpty, beat.peers.concern(actor(at: index)) { continue }
          let taken = write(lane.id, bytes)
          if taken >= bytes.count {
            lanes[index].place = ring.end
          } else {
            lanes[index].isPlain = false
            lanes[index].isBlocked = true
            members[index]?.chunk = beat.bytes[channel]
            members[index]?.chunkKind = .beat
            members[index]?.offset = max(0, taken)
          }
        }
      }
    }
  }

  private func actor(at index: Int) -> Identifier {
    guard let member = members[index] else { preconditionFailure("a plain lane is somebody's") }
    return member.peer.actor
  }

  private mutating func send(to index: Int, now: Moment, _ write: (MemberID, UnsafeRawBufferPointer) -> Int) {
    defer { lanes[index].isPlain = members[index]?.isPlain ?? false }
    while fill(index, now: now) {
      guard let member = members[index] else { return }
      let count = member.chunk.count - member.offset
      let taken = member.chunk.withUnsafeBytes { bytes in
        write(member.id, UnsafeRawBufferPointer(rebasing: bytes[member.offset...]))
      }
      guard taken >= count else {
        members[index]?.offset += max(0, taken)
        lanes[index].isBlocked = true
        return
      }
      finishChunk(of: index)
      resumeReadingIfPossible(member.id)
    }
  }

  private mutating func finishChunk(of index: Int) {
    guard let member = members[index] else { return }
    members[index]?.chunk = []
    members[index]?.offset = 0
    switch (member.chunkKind, member.stage) {
    case (.beat, _):
      // By now the ring may have dropped the beat that was under way.
      lanes[index].place &+= 1
    case (.part, .state(let number, let next)): members[index]?.stage = .state(stream: number, next: next + 1)
    case (.notice, .notices(let buffers, let next)):
      members[index]?.stage = next + 1 < buffers.count ? .notices(buffers, next: next + 1) : .live
    case (.part, _), (.notice, _), (.letters, _): break
    }
  }

  /// Finds what a connection is to be sent next, where it has not been sent something in part; no where it has all.
  private mutating func fill(_ index: Int, now: Moment) -> Bool {
    while true {
      guard let member = members[index] else { return false }
      if !member.chunk.isEmpty { return true }
      switch member.stage {
      case .state(let number, let next):
        // Only the welcome and such come before the state is there.
        if take(lettersOf: index, upTo: 0) { return true }
        guard let stream = streams[number] else {
          members[index]?.stage = .live
          beginState(of: member.id, now: now)
          continue
        }
        guard next < stream.count else {
          leaveStream(of: member.id)
          finishState(of: index, stream, now: now)
          continue
        }
        members[index]?.chunk = streams[number]?.frames(ofPart: next, epoch: epoch, framing: framing) ?? []
        members[index]?.chunkKind = .part
      case .notices(let buffers, let next):
        members[index]?.chunk = buffers[next]
        members[index]?.chunkKind = .notice
      case .live:
        let place = lanes[index].place
        guard place < ring.end, place >= ring.start else {
          if take(lettersOf: index, upTo: place) { return true }
          guard place < ring.end else { return false }
          beginState(of: member.id, now: now)
          continue
        }
        let bytes = beatBytes(place, for: member)
        let isShort = bytes.count <= Room.joinedBytesMax
        if bytes.isEmpty || !isShort, take(lettersOf: index, upTo: place) { return true }
        if bytes.isEmpty {
          // Nothing of this beat was for this channel.
          lanes[index].place &+= 1
          continue
        }
        let chunk = isShort && member.hasLetters ? joined(bytes, at: place, lettersOf: index) : bytes
        members[index]?.chunk = chunk
        members[index]?.chunkKind = .beat
      }
    }
  }

  /// A beat as everyone in the channel gets it, but that nobody is told of oneself.
  private func beatBytes(_ ordinal: UInt64, for member: borrowing Member) -> [UInt8] {
    let beat = ring[ordinal]
    let channel = member.channel
    guard !beat.peers.isEmpty, beat.peers.concern(member.peer.actor) else { return beat.bytes[channel.index] }
    var bytes = Array(beat.bytes[channel.index][..<beat.peersStart[channel.index]])
    encode(beat.peers.without(member.peer.actor), channel.encoding, into: &bytes)
    return bytes
  }

  /// A beat between the letters before it and those behind it: a writer is sent its operation and the answer to it at
  /// one time, and two calls would cost twice as much as one.
  private mutating func joined(_ beat: [UInt8], at place: UInt64, lettersOf index: Int) -> [UInt8] {
    var bytes = members[index]?.takeLetters(upTo: place) ?? []
    bytes += beat
    bytes += members[index]?.takeLetters(upTo: place &+ 1) ?? []
    return bytes
  }

  /// Longer beats go out of the buffer that all share.
  private static let joinedBytesMax = 16_384

  private mutating func take(lettersOf index: Int, upTo ordinal: UInt64) -> Bool {
    guard let member = members[index], member.hasLetters else { return false }
    let bytes = members[index]?.takeLetters(upTo: ordinal) ?? []
    guard !bytes.isEmpty else { return false }
    members[index]?.chunk = bytes
    members[index]?.chunkKind = .letters
    return true
  }
}
