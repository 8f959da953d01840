import CanvasCRDT

/// Something that a room asks its owner to do.
enum RoomEffect: Sendable {
  /// Append this to the log. `delivered` or `failed` answers.
  case append(Batch)
  /// Stamp this beside the loop, and append it to the log.
  case prepare(AdmittedLayout)
  /// A batch that was submitted without a connection is durable, or refused.
  case answered(request: UInt64, Result<Cursor, Rejection>)
  /// Close the connection, which has already left the room. If only a part of a message had been sent, only the close
  /// frame may follow.
  case close(MemberID, CloseCode, Text, isBetweenMessages: Bool)
  /// Do this beside the loop. `overlapsDone` takes the outcome, if there is one.
  case overlaps(OverlapOrder)
  /// Which shapes overlapped at a place in the log, for a request over HTTP.
  case overlapsAnswered(request: UInt64, OverlapIndex, Cursor)
  /// Too many of the connection's answers or operations are waiting: read nothing more from it until told otherwise.
  case pauseReading(MemberID)
  case resumeReading(MemberID)
  /// Another node's copy of the room differs at the same place of the log.
  case differs
  /// Send news to the other nodes that have the room open, in these parts.
  case tell([[UInt8]])
}
