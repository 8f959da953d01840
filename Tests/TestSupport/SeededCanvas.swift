import CanvasCRDT

extension Canvas {
  /// An empty canvas for a test, where nobody chooses identifiers that collide.
  public init() { self.init(seed: 1) }
}
