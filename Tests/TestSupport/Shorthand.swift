import CanvasCRDT

// Short ways to make values.

extension Properties {
  /// The properties that `assign` sets.
  public init(_ assign: (inout Properties) -> Void) {
    self.init()
    assign(&self)
  }

  /// What a new star needs at least.
  public static let star = Properties { $0.kind = .star }
  /// What deletes a shape.
  public static let deletion = Properties { $0.delete() }
}

extension Rect {
  public init(_ x: Double, _ y: Double, _ width: Double, _ height: Double) {
    self.init(origin: Point(x: x, y: y), size: Size(width: width, height: height))
  }
}

extension Outline {
  public init(
    _ kind: ShapeKind,
    _ x: Double,
    _ y: Double,
    _ width: Double,
    _ height: Double,
    rotation: Double = 0,
    cornerRadius: Double = 24,
    points: Int = 5,
    innerRatio: Double = 0.5
  ) {
    self.init(
      kind: kind,
      position: Point(x: x, y: y),
      size: Size(width: width, height: height),
      rotation: rotation,
      cornerRadius: cornerRadius,
      points: points,
      innerRatio: innerRatio
    )
  }
}

extension JSONText {
  /// - Parameter text: a value in JSON, of any length.
  public init(_ text: String) {
    self = try! Array(text.utf8).withUnsafeBytes { try JSONText(validating: $0, maximumBytes: $0.count) }
  }
}

extension Delivery {
  /// The operations, also if they came as a state.
  public var operations: [Operation] {
    switch content {
    case .operations(let operations): operations
    case .state(let part): part.operations
    }
  }
}

extension ServerMessage {
  public var delivery: Delivery? { if case .operations(let delivery) = self { delivery } else { nil } }
  public var rejection: Rejection? { if case .rejection(let rejection) = self { rejection } else { nil } }
  public var notice: OverlapNotice? { if case .overlaps(let notice) = self { notice } else { nil } }
  public var joined: Peer? { if case .join(let peer) = self { peer } else { nil } }
  public var left: Identifier? { if case .leave(let actor) = self { actor } else { nil } }
}
