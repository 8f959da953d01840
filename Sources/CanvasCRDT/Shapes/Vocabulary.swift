/// Which properties and kinds a client knows (C12). The server sends the client no others, because the client couldn't
/// read them.
///
/// The raw values are the numbers that clients send in `hello`. A version that adds properties or kinds adds a case for
/// them.
public enum Vocabulary: UInt8, CaseIterable, Hashable, Sendable {
  /// For clients whose `hello` has no vocabulary: the properties up to `innerRatio`, and the kinds up to `star`.
  case first = 1
  /// Adds the properties and kinds that were introduced together with texts.
  case second = 2
  /// Adds groups, locks, shapes without a fill, dashed and dotted strokes, lines and ink.
  case third = 3

  public static let newest = Vocabulary.third

  public var knowsAll: Bool { self == .newest }

  public var properties: PropertyMask {
    switch self {
    case .first: .common
    case .second: .common.union(.texts)
    case .third: .all
    }
  }

  private var lastKind: ShapeKind {
    switch self {
    case .first: .star
    case .second: .text
    case .third: .ink
    }
  }

  /// The kind to send to the client: `kind` itself, or a rectangle if the client doesn't know it.
  public func told(_ kind: ShapeKind) -> ShapeKind {
    kind.rawValue <= lastKind.rawValue ? kind : .rectangle
  }

  func knows(_ values: borrowing Properties) -> Bool {
    values.assigned.subtracting(properties).isEmpty && told(values.kind) == values.kind
  }
}

extension PropertyMask {
  /// The properties that were added together with texts.
  static var texts: PropertyMask {
    PropertyMask().inserting(.text).inserting(.textSize).inserting(.textAlign).inserting(.textPlace)
  }
}

extension Properties {
  /// These values without those that a client of this vocabulary doesn't know.
  func told(to vocabulary: Vocabulary) -> Properties {
    var told = keeping(vocabulary.properties)
    if assigned.contains(.kind) { told.kind = vocabulary.told(kind) }
    return told
  }
}
