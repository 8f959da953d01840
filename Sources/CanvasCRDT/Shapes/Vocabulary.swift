/// The properties and kinds that a client knows (C12). The server sends the client no others, because the client
/// couldn't read them.
///
/// The raw values are the numbers that clients send in `hello`. If a later version adds properties or kinds, it adds a
/// case for them.
public enum Vocabulary: UInt8, CaseIterable, Hashable, Sendable {
  /// The vocabulary of a client whose `hello` names none: the properties up to `innerRatio`, and the kinds up to
  /// `star`.
  case first = 1
  /// The properties and kinds of the first vocabulary, and those that were added together with texts.
  case second = 2
  /// The properties and kinds of the second vocabulary, and those for groups, locks, shapes without a fill, broken
  /// strokes, lines and ink.
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

  /// The kind that is sent to a client in place of `kind`. If the client doesn't know the kind, it is sent a rectangle.
  public func told(_ kind: ShapeKind) -> ShapeKind {
    kind.rawValue <= lastKind.rawValue ? kind : .rectangle
  }

  /// Whether a client knows all of these values.
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
  /// These values, as they are sent to a client with this vocabulary.
  func told(to vocabulary: Vocabulary) -> Properties {
    var told = keeping(vocabulary.properties)
    if assigned.contains(.kind) { told.kind = vocabulary.told(kind) }
    return told
  }
}
