/// An operation with an optional stamp. The server stamps it if it has none.
public struct ProposedOperation: Hashable, Sendable {
  public var shape: Identifier
  public var at: Stamp?
  public var set: Properties

  public init(shape: Identifier, at: Stamp?, set: Properties) {
    self.shape = shape
    self.at = at
    self.set = set
  }

  public init(_ operation: Operation) {
    self.init(shape: operation.shape, at: operation.at, set: operation.set)
  }
}
