/// A request of a replica to its host, or a report.
public enum ReplicaEffect: Sendable {
  // Requests to the host.

  /// Open a connection, then call `connected` or `disconnected`.
  case connect
  /// Send one message, as a frame of the replica's encoding.
  case send([UInt8])
  /// Close the connection. The host need not report that it closed.
  case disconnect
  /// Call `wake` at that time of the monotonic clock. This replaces any earlier request.
  case wake(atMonotonicMilliseconds: UInt64)
  /// Store the edits now, because sending waits for it: see `reserveStamps`.
  case keep

  // Changes of the drawing.

  /// These shapes now look different.
  case changed([Change], by: ChangeOrigin)
  /// A shape was deleted by an operation that also has a position, as by a black hole. No canvas stores these values;
  /// they only let the host animate the shape on its way there. This comes before the change.
  indirect case departed(ShapeEdit)
  /// Everything may have changed: the host has to rebuild what it has made from the canvas. `from` is what was shown
  /// before, for a host that compares the two.
  indirect case reset(from: Canvas)
  /// Pairs of shapes began or ceased to overlap.
  case overlaps(OverlapNotice)

  // Answers to the client's own edits.

  /// How many operations the server has not answered yet.
  case unsent(Int)
  indirect case rejected(RejectedEdit)
  case superseded([SupersededValue])

  // The people in the room, and the connection.

  case state(ReplicaState)
  /// Everyone who is in the room when the client joins.
  case peers([Peer])
  case joined(Peer)
  case left(Identifier)
  /// How many people are here, including this client, if the room doesn't name all of them; otherwise 0.
  case crowd(people: UInt64)
  /// A peer has a new presence.
  case presence(Peer)
  /// The client's presence is longer than the room accepts.
  case presenceTooLong(bytesMax: UInt64)
  case pong(roundTripMilliseconds: UInt64)
  /// The verdict for `askDigest`. Without a request it can only be `.disagrees`: the replica has found by itself that
  /// it differs from the room, and loads it again.
  case digest(DigestVerdict)
  /// The server reports a mistake.
  case error(code: Text, message: Text)
  /// The server's message can't be understood. The replica reconnects.
  case failure(MessageError)
}

/// The origin of a change.
public enum ChangeOrigin: Hashable, Sendable {
  /// The client's own edit, undo or redo.
  case own
  /// The client's own edit was refused, and is no longer shown.
  case rejection
  case remote(Identifier)
  /// Several people's edits, from while the client was away.
  case room
}

/// An edit that was refused, and so reverted.
public struct RejectedEdit: Hashable, Sendable {
  /// The operation as it was written. It has no stamp if it was refused before it got one.
  public var operation: ProposedOperation
  public var code: RejectCode
  /// The reason, in words.
  public var message: Text
  public var origin = EditOrigin.edit
}

/// The origin of the client's own operation. If an undo or a redo is refused, its step can be tried again.
public enum EditOrigin: Hashable, Sendable {
  case edit
  case undo
  case redo
}

/// A value of the client's own that had already lost to a newer one when the server made it durable.
public struct SupersededValue: Hashable, Sendable {
  public var shape: Identifier
  public var property: Property
  public var by: Stamp
}

public enum DigestVerdict: Hashable, Sendable {
  /// Server and replica have the same registers.
  case agrees
  /// They differ. The replica drops its confirmed canvas and loads the whole state again, once.
  case disagrees
  /// The room changed too often to compare.
  case inconclusive
}

/// How far a replica has come on its way into the room.
public enum ReplicaState: Hashable, Sendable {
  /// Not connected, and no try is planned.
  case offline
  /// Not connected. The next try is at that time.
  case waiting(untilMonotonicMilliseconds: UInt64)
  /// A connection is being made.
  case connecting
  /// Connected. The server hasn't answered yet.
  case greeting
  /// The room's state, or what changed while the client was away, is on its way.
  case loading
  case live
  /// The server refuses the client for good.
  case closed(code: UInt16)

  /// Whether the server has sent the welcome.
  public var isJoined: Bool { self == .loading || self == .live }
}
