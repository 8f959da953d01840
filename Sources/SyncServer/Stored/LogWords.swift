import RoomLog

extension LogEvent {
  /// The reason for a missing answer, in words.
  var words: String {
    if case .failed(_, _, let error) = self { "\(error)" } else { "the log gave an unexpected answer" }
  }
}
