/// What a replica returns to its host: requests to carry out, and reports.
public enum ReplicaEffect: Sendable {
  // MARK: - Requests to the host

  /// Open a connection, and then call `connected` or `disconnected`.
  case connect
  /// Send one message, as a frame of the replica's encoding.
  case send([UInt8])
  /// Close the connection. The host doesn't have to report when the connection is closed.
  case disconnect
  /// Call `wake` at this time of the monotonic clock. This replaces all earlier requests.
  case wake(atMonotonicMilliseconds: UInt64)
  /// Store the edits now. The replica sends them only after they are stored: see `reserveStamps`.
  case keep

  // MARK: - Changes of the drawing

  /// The shapes that now look different.
  case changed([Change], by: ChangeOrigin)
  /// A shape was deleted by an operation that also writes a position. No canvas stores this position, but the host can
  /// animate the shape on its way there, as if it fell into a hole. This effect comes before the change.
  indirect case departed(ShapeEdit)
  /// Everything may have changed, so the host has to rebuild whatever it has derived from the canvas. `from` is the
  /// canvas that was shown before, so that the host can compare the two.
  indirect case reset(from: Canvas)
  /// Pairs of shapes began or stopped overlapping.
  case overlaps(OverlapNotice)

  // MARK: - Answers to the client's own edits

  /// How many operations the server has not answered yet.
  case unsent(Int)
  indirect case rejected(RejectedEdit)
  case superseded([SupersededValue])

  // MARK: - The people in the room, and the connection

  case state(ReplicaState)
  /// Everyone who was in the room when the client joined.
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
  /// The server has accepted the token that `bringToken` sent.
  case tokenTaken
  /// The verdict of a digest check. Without a call of `askDigest`, it is always `.disagrees`: the replica has found by
  /// itself that its state differs from the room's, and loads the whole state again.
  case digest(DigestVerdict)
  /// The server reports an error.
  case error(code: Text, message: Text)
  /// A message from the server is invalid. The replica reconnects.
  case failure(MessageError)
}

public enum ChangeOrigin: Hashable, Sendable {
  /// The client's own edit, undo or redo.
  case own
  /// The server refused one of the client's own edits, so it is no longer shown.
  case rejection
  case remote(Identifier)
  /// Edits by several people, made while the client was disconnected.
  case room
}

/// An edit that was refused and therefore reverted.
public struct RejectedEdit: Hashable, Sendable {
  /// The operation as the client wrote it. It has no stamp if it was refused before it got one.
  public var operation: ProposedOperation
  public var code: RejectCode
  /// The reason, as text for people.
  public var message: Text
  public var origin = EditOrigin.edit
}

/// Whether one of the client's operations was an edit, an undo or a redo. If an undo or a redo is refused, its step can
/// be tried again.
public enum EditOrigin: Hashable, Sendable {
  case edit
  case undo
  case redo
}

/// A value of the client's own that had already been overwritten by a newer value when the server stored it.
public struct SupersededValue: Hashable, Sendable {
  public var shape: Identifier
  public var property: Property
  public var by: Stamp
}

public enum DigestVerdict: Hashable, Sendable {
  case agrees
  /// The states differ. The replica drops its confirmed canvas and loads the whole state again, at most once an hour.
  case disagrees
  /// The room changed so often that the states could not be compared.
  case inconclusive
}

/// How far a replica has come in joining its room.
public enum ReplicaState: Hashable, Sendable {
  /// There is no connection, and no try is planned.
  case offline
  /// There is no connection. The next try comes at this time.
  case waiting(untilMonotonicMilliseconds: UInt64)
  case connecting
  /// The connection is open, but the server hasn't answered the hello yet.
  case greeting
  /// The room's state is being received. After a reconnect, this can be only the changes since the connection was lost.
  case loading
  case live
  /// The server has refused the client for good.
  case closed(code: UInt16)

  /// Whether the server has sent the welcome.
  public var isJoined: Bool { self == .loading || self == .live }
}
