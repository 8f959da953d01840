import TerminalCanvas

/// What is painted of a drawing, from frame to frame.
///
/// A painting that takes several frames goes on although something changes meanwhile: if it were begun anew each time, it would
/// never be done. Until it is done, the one before it is shown, if that has the same view.
struct PaintingInFrames {
  private var newest: PaintedShapes?
  private var done: PaintedShapes?
  /// Something has changed since the newest was begun.
  private var isOutdated = false

  /// Whether another frame has something to paint.
  var moves: Bool { newest.map { !$0.isDone || !$0.isWhole || isOutdated } ?? false }

  /// How long the last painting took.
  var milliseconds: UInt64 { done?.milliseconds ?? 0 }

  /// Something has changed, so the shapes have to be painted again.
  mutating func change() { isOutdated = true }

  /// The shapes as this frame shows them.
  ///
  /// - Parameters:
  ///   - findsAll: finds more common areas, and tells whether they are all found.
  ///   - begin: begins a painting of the drawing as it is now.
  mutating func next(
    _ view: CanvasView,
    _ theme: Theme,
    findsAll: () -> Bool,
    begin: () -> PaintedShapes
  ) -> PaintedShapes {
    if let going = goOn(view, theme, findsAll: findsAll) {
      newest = going
    } else {
      isOutdated = false
      newest = begin()
    }
    guard let newest else { preconditionFailure("nothing was begun") }
    if newest.isDone { done = newest }
    return done.flatMap { $0.view == view && $0.theme == theme ? $0 : nil } ?? newest
  }

  /// The newest painting, one step further. Nil where another has to be begun.
  private func goOn(_ view: CanvasView, _ theme: Theme, findsAll: () -> Bool) -> PaintedShapes? {
    guard var newest, newest.view == view, newest.theme == theme else { return nil }
    guard newest.isDone else {
      newest.goOn()
      return newest
    }
    guard !isOutdated else { return nil }
    // A few hundred common areas are found for each frame. With thousands, repainting all of them each time would take longer
    // than finding them.
    return newest.isWhole || !findsAll() && Clocks.monotonicMilliseconds() < newest.partialUntil ? newest : nil
  }
}
