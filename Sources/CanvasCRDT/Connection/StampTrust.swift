/// How far ahead of the server's clock a client's stamps may be.
public enum StampTrust: Sendable {
  /// As far ahead as the room allows.
  case full
  /// No further ahead than stamps that the room has taken: another stamp was refused as ahead of the server's clock, so
  /// that clock must have been set back.
  case confirmed
  /// Not ahead: even such a stamp was refused, so the room was made again or restored.
  case none
}
