import Basics
import TerminalCanvas

/// Paints a drawing over several frames.
///
/// A painting is finished even if the drawing or the view changes meanwhile. Otherwise no painting would ever be
/// finished while everything moves. Until the new painting is finished, the previous one is shown, moved and scaled to
/// the view.
struct PaintingInFrames {
  private var newest: PaintedShapes?
  private var done: PaintedShapes?
  /// Whether the drawing has changed since the newest painting was started.
  private var isOutdated = false

  /// Whether the next frame has something to paint.
  var moves: Bool { newest.map { !$0.isDone || !$0.isWhole || isOutdated } ?? false }

  /// How long the last finished painting took.
  var milliseconds: UInt64 { done?.milliseconds ?? 0 }

  /// Notes that the drawing has changed.
  mutating func change() { isOutdated = true }

  /// The painting to show in this frame.
  ///
  /// - Parameters:
  ///   - findsAll: computes more common areas, and returns whether all of them are computed.
  ///   - begin: starts a painting of the present drawing.
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

  /// Continues the newest painting. `nil` if a new one has to be started.
  private func goOn(_ theme: Theme, findsAll: () -> Bool) -> PaintedShapes? {
    guard var newest, newest.theme == theme else { return nil }
    guard newest.isDone else {
      newest.goOn()
      return newest
    }
    guard !isOutdated else { return nil }
    // If thousands of common areas are missing, many frames follow, because each computes only some hundred. Repainting
    // after each of them would take too long. So the picture is kept until `partialUntil`, or until all areas are
    // computed.
    return newest.isWhole || !findsAll() && SteadyClock.milliseconds() < newest.partialUntil ? newest : nil
  }
}
