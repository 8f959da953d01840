import CanvasCRDT

/// Something that a room asks its owner to do.
enum RoomEffect: Sendable {
  /// Append this batch to the log, and report the outcome by `delivered` or `failed`.
  case append(Batch)
  /// Stamp these shapes of an HTTP request on another thread, and append them to the log.
  case prepare(AdmittedLayout)
  /// Answer an HTTP request, because its batch is durable or was refused.
  case answered(request: UInt64, Result<Cursor, Rejection>)
  /// Close the connection, which has already left the room. If a message to it was sent in part, only a close frame may
  /// follow.
  case close(MemberID, CloseCode, Text, isBetweenMessages: Bool)
  /// Carry out this order on another thread, and report the outcome, if there is one, by `overlapsDone`.
  case overlaps(Handover<OverlapWork>)
  /// The caller has to answer an HTTP request with the shapes that overlapped at a log position.
  case overlapsAnswered(request: UInt64, OverlapIndex, Cursor)
  /// Stop reading from the connection until `resumeReading`: too many of its answers or operations are waiting.
  case pauseReading(MemberID)
  case resumeReading(MemberID)
  /// Add to the count of differences: another node's copy of the room differs from this one at the same log position.
  case differs
}
