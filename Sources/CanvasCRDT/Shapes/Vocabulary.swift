/// Which properties and kinds a client knows (C12). The server sends the client no others, because the client couldn't
/// read them. Kinds are known in their order, up to the last one.
public struct Vocabulary: Hashable, Sendable {
  public let properties: PropertyMask
  public let lastKind: ShapeKind

  public init(properties: PropertyMask, lastKind: ShapeKind) {
    self.properties = properties
    self.lastKind = lastKind
  }

  /// Everything that this program knows.
  public static let newest = Vocabulary(properties: .all, lastKind: ShapeKind.allCases[ShapeKind.allCases.count - 1])

  /// The vocabularies in the order of their numbers, which clients send in `hello`. The first has the number 1, and the
  /// last is `newest`.
  ///
  /// A released version that adds properties or kinds adds a vocabulary. Before that, the last one is written as what
  /// it had until then.
  public static let all = [newest]

  public var knowsAll: Bool { self == .newest }

  /// The kind to send to the client: `kind` itself, or a rectangle if the client doesn't know it.
  public func told(_ kind: ShapeKind) -> ShapeKind {
    kind.rawValue <= lastKind.rawValue ? kind : .rectangle
  }

  func knows(_ values: borrowing Properties) -> Bool {
    values.assigned.subtracting(properties).isEmpty && told(values.kind) == values.kind
  }
}

extension [Vocabulary] {
  /// The index of the vocabulary with a number from a `hello`. A number that isn't known yet counts as the greatest
  /// known one.
  public func index(ofNumber number: UInt8) -> Int { Swift.min(Int(number), count) - 1 }
}

extension Properties {
  /// These values without those that a client of this vocabulary doesn't know.
  func told(to vocabulary: Vocabulary) -> Properties {
    var told = keeping(vocabulary.properties)
    if assigned.contains(.kind) { told.kind = vocabulary.told(kind) }
    return told
  }
}
