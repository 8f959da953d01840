import TerminalCanvas

/// The paintings of a drawing, from frame to frame.
///
/// A painting that takes several frames is finished even if the drawing or the view changes meanwhile: if it were begun
/// anew after each change, as while one follows somebody who pans, it would never be finished. Until then the painting
/// before it is shown, moved and scaled to the view.
struct PaintingInFrames {
  private var newest: PaintedShapes?
  private var done: PaintedShapes?
  /// Whether the drawing has changed since the newest painting was begun.
  private var isOutdated = false

  /// Whether another frame has something to paint.
  var moves: Bool { newest.map { !$0.isDone || !$0.isWhole || isOutdated } ?? false }

  /// How long the last painting took.
  var milliseconds: UInt64 { done?.milliseconds ?? 0 }

  /// Notes that the drawing has changed, so the shapes have to be painted again.
  mutating func change() { isOutdated = true }

  /// The painting that this frame shows.
  ///
  /// - Parameters:
  ///   - findsAll: finds more common areas, and returns whether all are found.
  ///   - begin: begins a painting of the drawing as it is now.
  mutating func next(
    _ view: CanvasView,
    _ theme: Theme,
    findsAll: () -> Bool,
    begin: () -> PaintedShapes
  ) -> PaintedShapes {
    if newest?.view != view { change() }
    if let going = goOn(theme, findsAll: findsAll) {
      newest = going
    } else {
      isOutdated = false
      newest = begin()
    }
    guard let newest else { preconditionFailure("nothing was begun") }
    if newest.isDone { done = newest }
    guard let done, done.theme == theme, done.view.visibleBox.intersects(view.visibleBox) else { return newest }
    return done
  }

  /// Paints one more step of the newest painting. Nil where another one has to be begun.
  private func goOn(_ theme: Theme, findsAll: () -> Bool) -> PaintedShapes? {
    guard var newest, newest.theme == theme else { return nil }
    guard newest.isDone else {
      newest.goOn()
      return newest
    }
    guard !isOutdated else { return nil }
    // Each frame finds a few hundred common areas. With thousands, repainting after every frame would take longer than
    // finding them, so the painting is repeated only now and then.
    return newest.isWhole || !findsAll() && Clocks.monotonicMilliseconds() < newest.partialUntil ? newest : nil
  }
}
