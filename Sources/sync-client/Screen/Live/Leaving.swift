/// What `q` has come to where changes are not saved yet.
enum Leaving {
  case no
  /// They are on their way: one leaves when they have arrived.
  case onceSaved
  /// They would be lost, it was said: one leaves when asked again.
  case warned
}
