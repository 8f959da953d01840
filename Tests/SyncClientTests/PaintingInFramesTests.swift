import CanvasCRDT
import TerminalCanvas
import Testing

@testable import sync_client

private let ann = Identifier(packed: 2)!

@Suite struct PaintingInFramesTests {
  /// A drawing of so many translucent shapes over the whole view that painting them takes several frames.
  private func heavy() -> LiveDrawing {
    var canvas = Canvas()
    for number in 1...1_600 as ClosedRange<UInt64> {
      var set = Properties()
      set.kind = .rectangle
      set.size = Size(width: 100_000, height: 100_000)
      set.position = Point(x: -50_000, y: -50_000)
      set.alpha = 5
      canvas.apply(
        Operation(
          shape: Identifier(packed: number)!,
          at: Stamp(milliseconds: number, counter: 0, actor: ann)!,
          set: set
        )
      )
    }
    return LiveDrawing(canvas)
  }

  @Test func `A painting of several frames is begun once, and once more for all that has changed meanwhile`() {
    var drawing = heavy()
    var painting = PaintingInFrames()
    var begun = 0
    func frame(_ view: CanvasView) -> PaintedShapes {
      painting.next(view, .dark, findsAll: { drawing.findCommonRegions(in: view.visibleBox) }) {
        begun += 1
        return PaintedShapes(&drawing, view: view, theme: .dark)
      }
    }
    let view = CanvasView(columns: 80, rows: 24)
    #expect(!frame(view).isDone)
    var frames = 1
    while painting.moves, frames < 100 { (_, frames) = (frame(view), frames + 1) }
    #expect(begun == 1 && frames > 2 && frames < 100)
    let whole = frame(view).pixels
    #expect(begun == 1)

    // While the next painting is under way, the one before it is shown. Changes don't begin the painting under way
    // anew.
    painting.change()
    for _ in 0..<3 {
      #expect(frame(view).pixels == whole)
      painting.change()
    }
    #expect(begun == 2)
    while painting.moves, frames < 200 { (_, frames) = (frame(view), frames + 1) }
    #expect(begun == 3 && frames < 200)

    // For another view nothing has been painted yet.
    var other = view
    other.zoom(toPercent: 50)
    #expect(!frame(other).isDone)
    #expect(frame(view).pixels == whole)
    #expect(begun == 5)
  }
}
