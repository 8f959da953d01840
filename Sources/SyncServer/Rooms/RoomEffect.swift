import CanvasCRDT

/// Something that a room asks its owner to do.
enum RoomEffect: Sendable {
  /// Append this to the log. `delivered` or `failed` answers.
  case append(Batch)
  /// Stamp this beside the loop, and append it to the log.
  case prepare(AdmittedLayout)
  /// A batch that was submitted without a connection is durable, or refused.
  case answered(request: UInt64, Result<Cursor, Rejection>)
  /// Close the connection. It is out of the room already. If it had been sent a message in part, only the close frame
  /// may follow.
  case close(MemberID, CloseCode, Text, isBetweenMessages: Bool)
  /// Do this beside the loop. `overlapsDone` takes what comes of it, if anything does.
  case overlaps(OverlapOrder)
  /// Which shapes overlapped at a place in the log, for a question over HTTP.
  case overlapsAnswered(request: UInt64, OverlapIndex, Cursor)
  /// The connection's answers pile up, or its operations do: read nothing more from it until told otherwise.
  case pauseReading(MemberID)
  case resumeReading(MemberID)
  /// Another node has another room at the same place of the log.
  case differs
  /// Send news to the other nodes that have the room open, in these parts.
  case tell([[UInt8]])
}
