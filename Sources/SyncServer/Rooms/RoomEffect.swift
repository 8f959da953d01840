import CanvasCRDT

/// Something that a room asks its owner to do.
enum RoomEffect: Sendable {
  /// Append this batch to the log. `delivered` or `failed` takes the outcome.
  case append(Batch)
  /// Stamp this layout on another thread, and append it to the log.
  case prepare(AdmittedLayout)
  /// Answer an HTTP request: its batch is durable, or refused.
  case answered(request: UInt64, Result<Cursor, Rejection>)
  /// Close the connection, which has already left the room. If a message to it was sent in part, only a close frame may
  /// follow.
  case close(MemberID, CloseCode, Text, isBetweenMessages: Bool)
  /// Carry out this order on another thread. `overlapsDone` takes the outcome, if there is one.
  case overlaps(OverlapOrder)
  /// Answer an HTTP request with the shapes that overlapped at a place in the log.
  case overlapsAnswered(request: UInt64, OverlapIndex, Cursor)
  /// Stop reading from the connection until `resumeReading`: too many of its answers or operations are waiting.
  case pauseReading(MemberID)
  case resumeReading(MemberID)
  /// Count that another node's copy of the room differs from this one at the same place of the log.
  case differs
  /// Send these parts of news to the other nodes that have the room open.
  case tell([[UInt8]])
}
