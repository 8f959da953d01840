import CanvasCRDT

extension CloseCode {
  /// The name of the close code, for the `error` that is sent before the close and for metrics.
  var word: String { wireName.description }

  /// The code word of the error that is sent before the close. `nil` for `goingAway`: a session that is asked to
  /// reconnect has done nothing wrong.
  var errorWord: String? { self == .goingAway ? nil : word }
}
