import CanvasCRDT

extension CloseCode {
  /// The code's name, for the `error` before a close and for metrics.
  var word: String { wireName.description }
}
