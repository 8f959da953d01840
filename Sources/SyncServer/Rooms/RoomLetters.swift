import CanvasCRDT

// Answers to one connection alone. They wait with it, so their sum is bounded: who does not take them is not read from.

extension Room {
  /// An answer that may be sent at any time, or not before the beat of an ordinal has been.
  mutating func post(_ message: ServerMessage, to id: MemberID, after: UInt64 = 0, isDigest: Bool = false) {
    guard let member = member(id) else { return }
    let bytes = encode(message, member.channel.encoding)
    members[Int(id.index)]?.enclose(Member.Letter(after: after, bytes: bytes, isDigest: isDigest))
    lanes[Int(id.index)].isPlain = false
    makeReady(id)
    pauseReadingIfNeeded(id)
  }

  /// What `Session` answers by itself.
  mutating func reply(_ message: ServerMessage, to id: MemberID) {
    if case .rejection(let rejection) = message { refuse(rejection, to: id) } else { post(message, to: id) }
  }

  /// Behind all that the room has, so that who sends again what was taken before knows by then that it was.
  mutating func refuse(_ rejection: Rejection, to id: MemberID) {
    counts.refusals[Int(rejection.code.rawValue)] += 1
    post(.rejection(rejection), to: id, after: pendingOperations.isEmpty ? ring.end : ring.end &+ 1)
  }

  /// Do we agree? Answered in order with the stream: all up to the cursor has been sent, and nothing after it.
  mutating func digest(for id: MemberID, now: Moment) {
    guard holds(id) else { return }
    counts.digests += 1
    flush(now: now)
    guard let member = member(id) else { return }
    if member.told != nil {
      members[Int(id.index)]?.told?.wantsDigest = true
      return
    }
    post(.digest(cursor: cursor, hash: canvas.digest), to: id, after: ring.end, isDigest: true)
  }

  private mutating func makeReady(_ id: MemberID) {
    guard members[Int(id.index)]?.isReady == false else { return }
    members[Int(id.index)]?.isReady = true
    readyMembers.append(id.index)
  }

  mutating func pauseReadingIfNeeded(_ id: MemberID) {
    guard let member = member(id), !member.isReadingPaused else { return }
    guard UInt64(member.letterBytes) > limits.letterBytes || member.inFlightOperations > limits.inFlightOperations
    else { return }
    members[Int(id.index)]?.isReadingPaused = true
    effects.append(.pauseReading(id))
  }

  /// Below half of the bounds, so that it does not go to and fro.
  mutating func resumeReadingIfPossible(_ id: MemberID) {
    guard let member = member(id), member.isReadingPaused else { return }
    guard UInt64(member.letterBytes) <= limits.letterBytes / 2,
      member.inFlightOperations <= limits.inFlightOperations / 2
    else { return }
    members[Int(id.index)]?.isReadingPaused = false
    effects.append(.resumeReading(id))
  }
}
