import CanvasCRDT

extension Vocabulary {
  /// What a client knows that has never heard of texts, lines or ink: no property `text`, and no kind after `star`.
  public static let withoutText: Vocabulary = {
    var properties = PropertyMask.all
    properties.remove(.text)
    return Vocabulary(properties: properties, lastKind: .star)
  }()
}
