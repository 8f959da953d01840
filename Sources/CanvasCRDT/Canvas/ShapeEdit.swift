/// Values for some of one shape's properties.
public struct ShapeEdit: Hashable, Sendable {
  public var shape: Identifier
  public var set: Properties

  public init(shape: Identifier, set: Properties) {
    self.shape = shape
    self.set = set
  }
}
