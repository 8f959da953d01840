import CanvasCRDT

extension Canvas {
  /// An empty canvas. The fixed seed is safe in tests, because nobody chooses identifiers that collide.
  public init() { self.init(seed: 1) }
}
