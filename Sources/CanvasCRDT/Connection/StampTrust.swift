/// How far ahead of the server's clock a client's stamps may be.
public enum StampTrust: Sendable {
  /// The stamps may be as far ahead of the server's clock as the room allows.
  case full
  /// The stamps may be no further ahead than stamps that the room has already accepted. Used after the server has
  /// refused a later stamp, because its clock must have been set back.
  case confirmed
  /// The stamps may not be ahead at all. Used after the server has refused a stamp that was no later than stamps that
  /// it had accepted. Then the room was created anew or restored from a backup.
  case none
}
