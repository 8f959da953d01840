import CanvasCRDT

extension CloseCode {
  /// The name of the close code, for the `error` that is sent before the close and for metrics.
  var word: String { wireName.description }
}
