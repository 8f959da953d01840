/// The effect of an operation on a canvas.
public struct Change: Hashable, Sendable {
  /// Whether the shape was live before the operation, and whether it is live after it.
  public enum Lifecycle: UInt8, Hashable, Sendable {
    /// The shape was deleted or missing before the operation, and still is after it.
    case absent
    case present
    case appeared
    case vanished
  }

  public let shape: Identifier

  /// The registers that had a different value before, and now have the operation's value.
  public internal(set) var changed = PropertyMask()

  /// The registers that the operation's erasure removed.
  public internal(set) var erased = PropertyMask()

  /// The properties for which the operation's value lost, because the register or the erasure has a greater stamp.
  /// `Canvas.winner` returns that stamp.
  public internal(set) var superseded = PropertyMask()

  public internal(set) var lifecycle = Lifecycle.absent

  /// By how many bytes the shape's texts and paths have grown.
  var longGrowth = 0

  init(shape: Identifier) { self.shape = shape }

  /// Whether the operation changed nothing.
  public var isEmpty: Bool { changed.isEmpty && erased.isEmpty }
}
