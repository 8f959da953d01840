/// How far the user has got in leaving with unsaved changes.
enum Leaving {
  case no
  /// The changes are being sent. The screen closes when they have arrived.
  case onceSaved
  /// The user has been warned that the changes would be lost. The next `q` leaves.
  case warned
}
