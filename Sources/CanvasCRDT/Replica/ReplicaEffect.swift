/// What a replica returns to its host: a request, or a report.
public enum ReplicaEffect: Sendable {
  // Requests to the host.

  /// Open a connection, and then call `connected` or `disconnected`.
  case connect
  /// Send one message, as a frame of the replica's encoding.
  case send([UInt8])
  /// Close the connection. The host doesn't have to report when the connection is closed.
  case disconnect
  /// Call `wake` at this time of the monotonic clock. This replaces all earlier requests.
  case wake(atMonotonicMilliseconds: UInt64)
  /// Store the edits now, because the replica sends them only after they are stored: see `reserveStamps`.
  case keep

  // Changes of the drawing.

  /// These shapes now look different.
  case changed([Change], by: ChangeOrigin)
  /// A shape was deleted by an operation that also writes a position, as a black hole does. No canvas stores this
  /// position, but the host can animate the shape on its way there. This effect comes before the change.
  indirect case departed(ShapeEdit)
  /// Everything may have changed, so the host has to rebuild whatever it has derived from the canvas. `from` is the
  /// canvas that was shown before, for a host that compares the two.
  indirect case reset(from: Canvas)
  /// Pairs of shapes began or stopped overlapping.
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
  /// The number of people in the room, including this client, if the room is too large to name everyone. Otherwise 0.
  case crowd(people: UInt64)
  /// A peer has a new presence.
  case presence(Peer)
  /// The client's presence is longer than the room allows.
  case presenceTooLong(bytesMax: UInt64)
  case pong(roundTripMilliseconds: UInt64)
  /// The verdict of a digest check. If the host hasn't called `askDigest`, the verdict can only be `.disagrees`: the
  /// replica has found by itself that its state differs from the room's, and loads the whole state again.
  case digest(DigestVerdict)
  /// The server reports a mistake.
  case error(code: Text, message: Text)
  /// A message from the server can't be understood. The replica reconnects.
  case failure(MessageError)
}

/// The origin of a change.
public enum ChangeOrigin: Hashable, Sendable {
  /// The client's own edit, undo or redo.
  case own
  /// The server refused the client's own edit, so the edit is no longer shown.
  case rejection
  case remote(Identifier)
  /// Edits by several people, which were made while the client was away.
  case room
}

/// An edit that was refused, and has therefore been reverted.
public struct RejectedEdit: Hashable, Sendable {
  /// The operation as the client wrote it. An operation that was refused before it got a stamp has none.
  public var operation: ProposedOperation
  public var code: RejectCode
  /// The reason, in words.
  public var message: Text
  public var origin = EditOrigin.edit
}

/// The origin of one of the client's own operations. If an undo or a redo is refused, its step can be tried again.
public enum EditOrigin: Hashable, Sendable {
  case edit
  case undo
  case redo
}

/// One of the client's own values that had already lost to a newer value when the server made it durable.
public struct SupersededValue: Hashable, Sendable {
  public var shape: Identifier
  public var property: Property
  public var by: Stamp
}

public enum DigestVerdict: Hashable, Sendable {
  /// Server and replica have the same registers.
  case agrees
  /// The states of server and replica differ. The replica drops its confirmed canvas and loads the whole state again,
  /// once.
  case disagrees
  /// The room changed so often that the states could not be compared.
  case inconclusive
}

/// How far a replica has come on its way into the room.
public enum ReplicaState: Hashable, Sendable {
  /// There is no connection, and no try is planned.
  case offline
  /// There is no connection. The next try comes at this time.
  case waiting(untilMonotonicMilliseconds: UInt64)
  /// A connection is being made.
  case connecting
  /// There is a connection. The server hasn't answered the hello yet.
  case greeting
  /// The room's state is on its way. After a reconnect, it may be only what changed while the client was away.
  case loading
  case live
  /// The server has refused the client for good.
  case closed(code: UInt16)

  /// Whether the server has sent the welcome.
  public var isJoined: Bool { self == .loading || self == .live }
}
