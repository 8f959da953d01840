/// The ranges of the contract's table, in one place.
///
/// Asked once, where a value enters: by both decoders and by whoever makes an edit. Merging never asks.
public struct PropertyProblem: Error, Hashable, Sendable {
  public let property: Property

  public init(_ property: Property) { self.property = property }

  /// What is allowed, in words.
  public var message: Text { Text(PropertyRules.expectation(of: property)) }
}

public enum PropertyRules {
  public static let coordinateMax = 1e7
  public static let sizeMin = 1.0
  public static let sizeMax = 1e6
  public static let rotationMax = 1e6
  public static let strokeWidthMax = 1_000.0
  public static let alphaRange: ClosedRange<Int16> = 1...10
  public static let cornerRadiusMax = 1e6
  public static let pointsRange: ClosedRange<Int16> = 3...64
  public static let innerRatioMin = 0.05
  public static let innerRatioMax = 1.0
  public static let nameBytesMax = 128

  /// What each property may be, as a sentence's end. The words of a refusal.
  public static func expectation(of property: Property) -> StaticString {
    switch property {
    case .kind: "kind must be rectangle, roundedRectangle, ellipse, polygon or star"
    case .name: "name must be text of 1 to 128 bytes without control characters"
    case .position: "position must be [x, y], each a number from -10000000 to 10000000"
    case .size: "size must be [width, height], each a number from 1 to 1000000"
    case .rotation: "rotation must be a number of degrees from -1000000 to 1000000"
    case .fill: "fill must be a colour as #RRGGBB"
    case .stroke: "stroke must be a colour as #RRGGBB"
    case .strokeWidth: "strokeWidth must be a number from 0 to 1000"
    case .alpha: "alpha must be a whole number from 1 to 10"
    case .visible: "visible must be true or false"
    case .z: "z must be text of 1 to 64 of 0-9A-Za-z that does not end in 0"
    case .cornerRadius: "cornerRadius must be a number from 0 to 1000000"
    case .points: "points must be a whole number from 3 to 64"
    case .innerRatio: "innerRatio must be a number from 0.05 to 1"
    case .deleted: "deleted must be true"
    }
  }

  /// No control characters: C0, delete, and C1, which in UTF-8 is C2 80 to C2 9F.
  public static func allowsName(_ name: Text) -> Bool {
    guard (1...nameBytesMax).contains(name.utf8Count) else { return false }
    return name.withBytes { bytes in
      var previous: UInt8 = 0
      for byte in bytes {
        if byte < 0x20 || byte == 0x7F { return false }
        if previous == 0xC2, byte < 0xA0 { return false }
        previous = byte
      }
      return true
    }
  }
}

extension Properties {
  /// Refuses what is assigned here and not allowed. A NaN fails every comparison and so is refused with the rest.
  public func check() throws(PropertyProblem) {
    for property in assigned.intersection(.bounded) where !allows(property) { throw PropertyProblem(property) }
  }

  private func allows(_ property: Property) -> Bool {
    switch property {
    case .position: abs(position.x) <= PropertyRules.coordinateMax && abs(position.y) <= PropertyRules.coordinateMax
    case .size:
      size.width >= PropertyRules.sizeMin && size.width <= PropertyRules.sizeMax
        && size.height >= PropertyRules.sizeMin && size.height <= PropertyRules.sizeMax
    case .rotation: abs(rotation) <= PropertyRules.rotationMax
    case .alpha: PropertyRules.alphaRange.contains(alpha)
    case .strokeWidth: strokeWidth >= 0 && strokeWidth <= PropertyRules.strokeWidthMax
    case .cornerRadius: cornerRadius >= 0 && cornerRadius <= PropertyRules.cornerRadiusMax
    case .points: PropertyRules.pointsRange.contains(points)
    case .innerRatio: innerRatio >= PropertyRules.innerRatioMin && innerRatio <= PropertyRules.innerRatioMax
    case .name: PropertyRules.allowsName(name)
    case .fill, .stroke, .visible, .deleted, .kind, .z: true
    }
  }
}
