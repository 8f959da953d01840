/// How far ahead of the server's clock a client's stamps may be.
public enum StampTrust: Sendable {
  /// The stamps may be as far ahead as the room allows.
  case full
  /// No further ahead than the stamps that the room has already accepted. The server refused a later stamp as ahead of
  /// its clock, so the server's clock must have been set back.
  case confirmed
  /// Not ahead at all. The server refused even a stamp that was no later than the stamps that the room had accepted, so
  /// the room was made again or restored from a backup.
  case none
}
