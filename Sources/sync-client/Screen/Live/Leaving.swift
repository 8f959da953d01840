/// The stages of leaving while changes are unsaved.
enum Leaving {
  case no
  /// The user was warned that a lost text has not been put back. The next `q` gives it up.
  case warnedOfText
  /// The changes are being sent, and the screen closes once they are acknowledged.
  case onceSaved
  /// The user was warned that changes would be lost. The next `q` leaves all the same.
  case warned
}
