/// The stages of leaving while changes are unsaved.
enum Leaving {
  case no
  /// The user was told that a text can still be put back.
  case warnedOfText
  /// The changes are being sent, and the screen closes once they are acknowledged.
  case onceSaved
  /// The user was warned that changes would be lost. The next `q` leaves all the same.
  case warned
}
