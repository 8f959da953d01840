/// How far ahead of the server's clock a client's stamps may be.
public enum StampTrust: Sendable {
  /// The stamps may be as far ahead as the room allows.
  case full
  /// The stamps may be no further ahead than those that the room has already accepted. The server has refused a later
  /// stamp as ahead of its clock, so its clock must have been set back.
  case confirmed
  /// The stamps may not be ahead at all. The server has refused a stamp although it was no later than stamps that the
  /// room had accepted before. So the room was created anew or restored from a backup.
  case none
}
