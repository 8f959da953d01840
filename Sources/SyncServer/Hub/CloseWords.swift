import CanvasCRDT

extension CloseCode {
  /// For the `error` before a close, and for metrics.
  var word: String { wireName.description }
}
