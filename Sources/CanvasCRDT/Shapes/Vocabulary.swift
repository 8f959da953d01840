/// The properties and kinds that a client knows (C12). It is sent no others, because it couldn't read them.
///
/// The cases are those that clients send in `hello`. A later version adds one, with what is new in it.
public enum Vocabulary: UInt8, CaseIterable, Hashable, Sendable {
  /// The vocabulary of a client that names none: the properties up to `innerRatio`, the kinds up to `star`.
  case first = 1
  /// Texts as well.
  case second = 2
  /// Groups, locks, shapes without a fill, broken strokes, lines and ink as well.
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

  /// The kind that a client is sent for a shape. A kind that it doesn't know becomes a rectangle in the same place.
  public func told(_ kind: ShapeKind) -> ShapeKind {
    kind.rawValue <= lastKind.rawValue ? kind : .rectangle
  }

  /// Whether a client knows all of these values.
  func knows(_ values: borrowing Properties) -> Bool {
    values.assigned.subtracting(properties).isEmpty && told(values.kind) == values.kind
  }
}

extension PropertyMask {
  /// The properties that came with texts.
  static var texts: PropertyMask {
    PropertyMask().inserting(.text).inserting(.textSize).inserting(.textAlign).inserting(.textPlace)
  }
}

extension Properties {
  /// These values, as a client with this vocabulary is sent them.
  func told(to vocabulary: Vocabulary) -> Properties {
    var told = keeping(vocabulary.properties)
    if assigned.contains(.kind) { told.kind = vocabulary.told(kind) }
    return told
  }
}
