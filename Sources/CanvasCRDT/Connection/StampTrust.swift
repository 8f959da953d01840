/// How far ahead of the server's clock a client's stamps may be.
public enum StampTrust: Sendable {
  /// As far as the room allows.
  case full
  /// No further than stamps that the room has taken: another was refused as ahead of the clock, which must have been set
  /// back.
  case confirmed
  /// No trust: such a stamp was refused as well, so the room has been made again or was restored.
  case none
}
