import Basics
import CanvasCRDT
import TerminalCanvas
import Testing

@testable import sync_client

private let ann = Identifier(packed: 2)!

@Suite struct PaintingInFramesTests {
  private let green = Color(packed: 0x00FF00)
  /// The centre of the frontmost shape.
  private let front = Point(x: 500, y: 100)

  /// So many translucent shapes over the whole view that painting them takes several frames. A small green shape is in
  /// front.
  private func heavy() -> LiveDrawing {
    var canvas = Canvas()
    for number in 1...1_600 as ClosedRange<UInt64> {
      var set = Properties()
      set.kind = .rectangle
      let isFront = number == 1_600
      let side = isFront ? 100.0 : 100_000
      set.size = Size(width: side, height: side)
      let center = isFront ? front : Point(x: 0, y: 0)
      set.position = Point(x: center.x - side / 2, y: center.y - side / 2)
      set.alpha = isFront ? 10 : 5
      if isFront { set.fill = green }
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
    let whole = frame(view).pixels(in: view)
    #expect(begun == 1)

    // The previous painting stays visible until the next is complete. Changes don't restart the painting in progress.
    painting.change()
    for _ in 0..<3 {
      #expect(frame(view).pixels(in: view) == whole)
      painting.change()
    }
    #expect(begun == 2)
    while painting.moves, frames < 200 { (_, frames) = (frame(view), frames + 1) }
    #expect(begun == 3 && frames < 200)

    // In a part of the canvas that was never painted, the unfinished painting is shown.
    var far = view
    far.show(center: Point(x: 40_000, y: 0))
    #expect(!frame(far).isDone)
    #expect(frame(view).pixels(in: view) == whole)
    #expect(begun == 4)
  }

  @Test func `A painting that lacks common areas is shown for a while, so that painting takes no more than a fifth`() {
    var drawing = LiveDrawing(Canvas())
    let began = SteadyClock.milliseconds()
    let painted = PaintedShapes(&drawing, view: CanvasView(columns: 80, rows: 24), theme: .dark)
    #expect(painted.partialUntil >= began + painted.milliseconds + max(250, 4 * painted.milliseconds))
  }

  @Test func `While the view moves in each frame, a painting is finished all the same, and lies where it belongs`() {
    var drawing = heavy()
    var painting = PaintingInFrames()
    var view = CanvasView(columns: 80, rows: 24)
    /// The colour at the centre of the frontmost shape, in the next frame.
    func seen() -> Color {
      let pixels = painting.next(view, .dark, findsAll: { drawing.findCommonRegions(in: view.visibleBox) }) {
        PaintedShapes(&drawing, view: view, theme: .dark)
      }.pixels(in: view)
      let cell = view.cell(of: front)
      return pixels[Int(cell.y * 2), Int(cell.x * 2)]
    }
    #expect(seen() != green)
    var frames = 1
    while frames < 30, seen() != green {
      view.pan(columns: 1, rows: 0.5)
      frames += 1
    }
    #expect(frames < 30)
    for _ in 0..<20 {
      view.pan(columns: 1, rows: -0.5)
      #expect(seen() == green)
      view.zoom(by: 0.98)
      #expect(seen() == green)
    }
  }
}
