import CanvasCRDT

/// What a room asks for.
enum RoomEffect: Sendable {
  /// To be appended to the log; `delivered` or `failed` answers.
  case append(Batch)
  /// What was submitted without a connection is durable, or refused.
  case answered(request: UInt64, Result<Cursor, Rejection>)
  /// The connection is out of the room already. Where it had been sent a message in part, nothing but the goodbye may come.
  case close(MemberID, CloseCode, Text, isBetweenMessages: Bool)
  /// Its answers pile up, or its operations do: read nothing more from it until told otherwise.
  case pauseReading(MemberID)
  case resumeReading(MemberID)
}
