/// How far leaving has come when there are unsaved changes.
enum Leaving {
  case no
  /// The changes are on their way. The screen closes when they have arrived.
  case onceSaved
  /// The user has been warned that the changes would be lost. The next `q` leaves.
  case warned
}
