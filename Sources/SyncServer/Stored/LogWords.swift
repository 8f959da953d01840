import RoomLog

extension LogEvent {
  /// Why there is no answer, in words.
  var words: String {
    if case .failed(_, _, let error) = self { "\(error)" } else { "the log gave an unexpected answer" }
  }
}
