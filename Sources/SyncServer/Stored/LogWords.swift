import RoomLog

extension LogEvent {
  /// Why the log gave no answer, in words.
  var words: String {
    if case .failed(_, _, let error) = self { "\(error)" } else { "the log gave an unexpected answer" }
  }
}
