// The fields of `Properties`, grouped by type. A row of `PropertyTable.swift` refers to its field, and the switches
// below connect rows and fields. So a row without a field doesn't compile, and neither does a field that can't be read
// or written.
extension Properties {
  public enum NumberField: Sendable {
    case rotation, strokeWidth, cornerRadius, innerRatio, textSize
  }

  public enum IntegerField: Sendable {
    case alpha, points
  }

  public enum ColorField: Sendable {
    case fill, stroke
  }

  public enum FlagField: Sendable {
    case visible, filled, locked
  }

  /// A field with a value from a short list of words.
  public enum ChoiceField: Sendable {
    case textAlign, textPlace, dash, fromEnd, toEnd, route

    /// The words, in the order of their numbers on the wire.
    public var words: [StaticString] {
      switch self {
      case .textAlign: TextAlign.allCases.map { $0.wireName }
      case .textPlace: TextPlace.allCases.map { $0.wireName }
      case .dash: Dash.allCases.map { $0.wireName }
      case .fromEnd, .toEnd: LineEnd.allCases.map { $0.wireName }
      case .route: LineRoute.allCases.map { $0.wireName }
      }
    }
  }

  public enum IdentifierField: Sendable {
    case group
  }

  public enum TieField: Sendable {
    case from, to
  }

  public enum PairField: Sendable {
    case position, size

    /// The names of the pair's two numbers.
    public var names: (first: StaticString, second: StaticString) {
      switch self {
      case .position: ("x", "y")
      case .size: ("width", "height")
      }
    }
  }

  public subscript(field: NumberField) -> Double {
    @inline(__always)
    get {
      switch field {
      case .rotation: rotation
      case .strokeWidth: strokeWidth
      case .cornerRadius: cornerRadius
      case .innerRatio: innerRatio
      case .textSize: textSize
      }
    }
    @inline(__always)
    set {
      switch field {
      case .rotation: rotation = newValue
      case .strokeWidth: strokeWidth = newValue
      case .cornerRadius: cornerRadius = newValue
      case .innerRatio: innerRatio = newValue
      case .textSize: textSize = newValue
      }
    }
  }

  public subscript(field: IntegerField) -> Int16 {
    @inline(__always)
    get {
      switch field {
      case .alpha: alpha
      case .points: points
      }
    }
    @inline(__always)
    set {
      switch field {
      case .alpha: alpha = newValue
      case .points: points = newValue
      }
    }
  }

  public subscript(field: ColorField) -> Color {
    @inline(__always)
    get {
      switch field {
      case .fill: fill
      case .stroke: stroke
      }
    }
    @inline(__always)
    set {
      switch field {
      case .fill: fill = newValue
      case .stroke: stroke = newValue
      }
    }
  }

  public subscript(field: FlagField) -> Bool {
    @inline(__always)
    get {
      switch field {
      case .visible: visible
      case .filled: isFilled
      case .locked: isLocked
      }
    }
    @inline(__always)
    set {
      switch field {
      case .visible: visible = newValue
      case .filled: isFilled = newValue
      case .locked: isLocked = newValue
      }
    }
  }

  /// The number of the field's word. Setting a number that stands for no word changes nothing.
  public subscript(field: ChoiceField) -> UInt8 {
    get {
      switch field {
      case .textAlign: textAlign.rawValue
      case .textPlace: textPlace.rawValue
      case .dash: dash.rawValue
      case .fromEnd: fromEnd.rawValue
      case .toEnd: toEnd.rawValue
      case .route: route.rawValue
      }
    }
    set {
      switch field {
      case .textAlign: textAlign = TextAlign(rawValue: newValue) ?? textAlign
      case .textPlace: textPlace = TextPlace(rawValue: newValue) ?? textPlace
      case .dash: dash = Dash(rawValue: newValue) ?? dash
      case .fromEnd: fromEnd = LineEnd(rawValue: newValue) ?? fromEnd
      case .toEnd: toEnd = LineEnd(rawValue: newValue) ?? toEnd
      case .route: route = LineRoute(rawValue: newValue) ?? route
      }
    }
  }

  public subscript(field: TieField) -> Tie? {
    get {
      switch field {
      case .from: from
      case .to: to
      }
    }
    set {
      switch field {
      case .from: from = newValue
      case .to: to = newValue
      }
    }
  }

  public subscript(field: IdentifierField) -> Identifier? {
    get {
      switch field {
      case .group: group
      }
    }
    set {
      switch field {
      case .group: group = newValue
      }
    }
  }

  public subscript(field: PairField) -> (first: Double, second: Double) {
    @inline(__always)
    get {
      switch field {
      case .position: (position.x, position.y)
      case .size: (size.width, size.height)
      }
    }
    @inline(__always)
    set {
      switch field {
      case .position: position = Point(x: newValue.first, y: newValue.second)
      case .size: size = Size(width: newValue.first, height: newValue.second)
      }
    }
  }
}
