/// Values that are written to one or more registers of one shape, all with the same stamp.
///
/// Values are absolute. So applying an operation twice, or in another order, doesn't change the result.
public struct Operation: Hashable, Sendable {
  public var shape: Identifier
  public var at: Stamp
  public var set: Properties

  public init(shape: Identifier, at: Stamp, set: Properties) {
    self.shape = shape
    self.at = at
    self.set = set
  }
}
