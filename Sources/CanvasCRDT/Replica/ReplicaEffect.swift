/// What a replica asks of its host, or tells it.
public enum ReplicaEffect: Sendable {
  // What the host is to do.

  /// Open a connection, and tell with `connected` or `disconnected` what came of it.
  case connect
  /// Send one message, as a frame of the replica's encoding.
  case send([UInt8])
  /// Close the connection. What comes of it need not be told.
  case disconnect
  /// Call `wake` at that time of the monotonic clock, instead of any earlier wish.
  case wake(atMonotonicMilliseconds: UInt64)

  // What has become of the drawing.

  /// Shapes that are shown otherwise than before.
  case changed([Change], by: ChangeOrigin)
  /// A shape went by an operation that also said where to, as into a black hole. No canvas holds such values: they are
  /// for showing it go there. Comes before the change.
  indirect case departed(ShapeEdit)
  /// Everything may be other than before: whatever was made from the canvas is to be made anew.
  case reset
  /// Someone's shapes came to overlap, or ceased to.
  case overlaps(OverlapNotice)

  // What has become of one's own edits.

  /// How many operations the server has not yet answered for.
  case unsent(Int)
  indirect case rejected(RejectedEdit)
  case superseded([SupersededValue])

  // Who and how.

  case state(ReplicaState)
  /// Who is here, all of them: on arrival.
  case peers([Peer])
  case joined(Peer)
  case left(Identifier)
  /// A peer that has a new presence.
  case presence(Peer)
  /// What one wanted others to see is longer than the room takes.
  case presenceTooLong(bytesMax: UInt64)
  case pong(roundTripMilliseconds: UInt64)
  case digest(DigestVerdict)
  /// The server said what went wrong.
  case error(code: Text, message: Text)
  /// What the server sent makes no sense; the connection is tried anew.
  case failure(MessageError)
}

/// Who changed what is shown.
public enum ChangeOrigin: Hashable, Sendable {
  /// One's own edit, or one's own undoing it.
  case own
  /// One's own edit was refused, and this is without it.
  case rejection
  case remote(Identifier)
  /// Several people, in what came to be while one was away.
  case room
}

/// An edit that was taken back.
public struct RejectedEdit: Hashable, Sendable {
  /// As it was written. One that was refused before it had a stamp has none.
  public var operation: ProposedOperation
  public var code: RejectCode
  /// Why, in words.
  public var message: Text
}

/// One's own value that had already lost when it was made durable.
public struct SupersededValue: Hashable, Sendable {
  public var shape: Identifier
  public var property: Property
  public var by: Stamp
}

public enum DigestVerdict: Hashable, Sendable {
  /// Both hold the same registers.
  case agrees
  /// They do not. The replica drops what it had confirmed and asks for all of it again, once.
  case disagrees
  /// The room never stood still for long enough to compare.
  case inconclusive
}

/// How far a replica is from being in the room.
public enum ReplicaState: Hashable, Sendable {
  /// Not connected, and not about to be.
  case offline
  /// Not connected; to be tried again then.
  case waiting(untilMonotonicMilliseconds: UInt64)
  /// A connection is being made.
  case connecting
  /// Connected; the server has yet to answer.
  case greeting
  /// What happened in the meantime is on its way.
  case loading
  case live
  /// For good: the server will not have it.
  case closed(code: UInt16)

  /// The server has said welcome.
  public var isJoined: Bool { self == .loading || self == .live }
}
