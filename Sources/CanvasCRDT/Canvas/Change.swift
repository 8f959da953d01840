/// What applying an operation did to a canvas.
public struct Change: Hashable, Sendable {
  /// Whether the shape is there, before and after.
  public enum Lifecycle: UInt8, Hashable, Sendable {
    /// Not live before, nor after.
    case absent
    /// Live before and after.
    case present
    case appeared
    case vanished
  }

  public let shape: Identifier

  /// What now holds the operation's value and did not before.
  public internal(set) var changed = PropertyMask()

  /// Registers that the operation's erasure removed.
  public internal(set) var erased = PropertyMask()

  /// What the operation wrote under a stamp that had already lost to a greater one. `Canvas.winner` names that.
  public internal(set) var superseded = PropertyMask()

  public internal(set) var lifecycle = Lifecycle.absent

  init(shape: Identifier) { self.shape = shape }

  /// Nothing in the canvas is other than before.
  public var isEmpty: Bool { changed.isEmpty && erased.isEmpty }
}
