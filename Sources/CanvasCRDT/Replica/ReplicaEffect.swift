/// Something that a replica asks of its host, or tells it.
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
  /// Keep the edits now, because sending waits for it: see `reserveStamps`.
  case keep

  // Changes of the drawing.

  /// Shapes that are now shown differently.
  case changed([Change], by: ChangeOrigin)
  /// A shape was deleted by an operation that also carried a position, as by a black hole. No canvas stores these
  /// values; they only let the host show the shape going there. This comes before the change.
  indirect case departed(ShapeEdit)
  /// Everything may have changed: the host has to rebuild whatever it made from the canvas. `from` is what was shown
  /// before, for a host that tells what is different.
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
  /// Everyone who is in the room when the client arrives.
  case peers([Peer])
  case joined(Peer)
  case left(Identifier)
  /// How many people are here, this client among them, if the room tells not all of them by name; otherwise 0.
  case crowd(people: UInt64)
  /// A peer with a new presence.
  case presence(Peer)
  /// The presence that the client set is longer than the room takes.
  case presenceTooLong(bytesMax: UInt64)
  case pong(roundTripMilliseconds: UInt64)
  /// The verdict for `askDigest`. Unasked it is only `.disagrees`: the replica found by itself that it differs from the
  /// room, and loads it again.
  case digest(DigestVerdict)
  /// The server said what went wrong.
  case error(code: Text, message: Text)
  /// The server's message makes no sense. The replica reconnects.
  case failure(MessageError)
}

/// The origin of a change.
public enum ChangeOrigin: Hashable, Sendable {
  /// The client's own edit, or its undo.
  case own
  /// The client's own edit was refused, and the drawing is shown without it.
  case rejection
  case remote(Identifier)
  /// Several people, while the client was away.
  case room
}

/// An edit that was taken back.
public struct RejectedEdit: Hashable, Sendable {
  /// The operation as it was written. If it was refused before it had a stamp, it has none.
  public var operation: ProposedOperation
  public var code: RejectCode
  /// The reason, in words.
  public var message: Text
  public var origin = EditOrigin.edit
}

/// The cause of an operation of the client's own. If an undo or a redo is refused, its step can be tried again.
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
  /// Server and replica hold the same registers.
  case agrees
  /// They differ. The replica drops its confirmed canvas and asks for the whole state again, once.
  case disagrees
  /// The room changed too often to compare.
  case inconclusive
}

/// How far a replica is from being in the room.
public enum ReplicaState: Hashable, Sendable {
  /// Not connected, and no try is planned.
  case offline
  /// Not connected; the next try is at that time.
  case waiting(untilMonotonicMilliseconds: UInt64)
  /// A connection is being made.
  case connecting
  /// Connected; the server has yet to answer.
  case greeting
  /// The room's state, or what changed while the client was away, is on its way.
  case loading
  case live
  /// The server refuses the client for good.
  case closed(code: UInt16)

  /// The server has said welcome.
  public var isJoined: Bool { self == .loading || self == .live }
}
