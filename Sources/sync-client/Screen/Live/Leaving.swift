/// How far leaving has come, if changes are not saved yet.
enum Leaving {
  case no
  /// The changes are on their way. The screen closes when they have arrived.
  case onceSaved
  /// The user has been warned that the changes would be lost. The next `q` leaves.
  case warned
}
