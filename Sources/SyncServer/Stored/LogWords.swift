import RoomLog

extension LogEvent {
  /// Why an answer that was asked for did not come.
  var words: String {
    if case .failed(_, _, let error) = self { "\(error)" } else { "the log gave an unexpected answer" }
  }
}
