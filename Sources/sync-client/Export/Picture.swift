import CanvasCRDT
import TerminalCanvas

/// Draws a room as SVG or PNG. Overlaps are orange.
enum Picture {
  static func svg(of stored: StoredDrawing, room: RoomName) -> [UInt8] {
    var export = SVGExport(stored.drawing)
    export.title = Text(room.text)
    export.overlaps = RoomPicture(stored.canvas).overlaps.pairs
    return export.document()
  }

  /// The longest side of a picture in pixels. Larger ones are scaled down. This bounds memory.
  static let sideMax = 4_096.0
  private static let pixelsMax = 8e6
  /// The upper bound on painted pixels. A pixel counts once for each shape that covers it. So if many large shapes lie
  /// on each other, the picture is scaled down. This bounds the time that painting takes.
  private static let paintedMax = 3e8
  /// Each row that an edge crosses costs about as much time as this many pixels.
  private static let pixelsPerRow = 8.0

  /// - Parameter scale: the pixels for one unit of the canvas.
  static func png(of stored: StoredDrawing, scale wanted: Double) throws -> [UInt8] {
    var scene = CanvasScene()
    let picture = RoomPicture(stored.canvas)
    var around: Rect?
    for place in picture.order.places {
      let canvas = stored.canvas
      guard let shape = canvas[place.shape]?.drawn({ canvas[$0] }), shape.properties.visible else { continue }
      var item = CanvasScene.Item(shape)
      // The painter writes no letters, so lines need no gaps for them.
      item.text = ""
      scene.items.append(item)
      let box = shape.outline.bounds.widened(by: shape.strokeReach)
      around = around?.union(box) ?? box
    }
    var areas = CommonAreas()
    for pair in picture.overlaps.pairs {
      try Task.checkCancellation()
      guard let first = picture.overlaps.outline(of: pair.first), let second = picture.overlaps.outline(of: pair.second)
      else { continue }
      scene.commonRegions += areas.loops(first, second) ?? []
    }
    let content = around ?? Rect(origin: Point(x: 0, y: 0), size: Size(width: 760, height: 560))
    let box = content.widened(by: SVGExport.margin)
    return encode(scene, box, scale: scale(wanted, for: box, of: scene.items))
  }

  static func scale(_ wanted: Double, for box: Rect, of items: [CanvasScene.Item]) -> Double {
    var scale = scale(wanted, for: box)
    let (area, length) = items.reduce((0.0, 0.0)) { sum, item in
      let (across, down) = (item.outline.bounds.size.width, item.outline.bounds.size.height)
      let pieces = item.line?.pieces ?? []
      return (
        sum.0 + (across + item.strokeWidth) * (down + item.strokeWidth),
        pieces.reduce(sum.1 + across + down) { $0 + $1.lengthMax + 2 * $1.width }
      )
    }
    while scale > CanvasView.scales.lowerBound,
      (area * scale + length * pixelsPerRow) * scale > paintedMax
    { scale = max(scale / 2, CanvasView.scales.lowerBound) }
    return scale
  }

  static func scale(_ wanted: Double, for box: Rect) -> Double {
    let bySide = sideMax / max(box.size.width, box.size.height)
    let byArea = (pixelsMax / box.area).squareRoot()
    return max(CanvasView.scales.lowerBound, min(wanted, bySide, byArea, CanvasView.scales.upperBound))
  }

  /// The painter's dots are twice as high as wide, because it paints for terminal cells. So two dots side by side make
  /// one square pixel of the picture.
  private static func encode(_ scene: CanvasScene, _ box: Rect, scale: Double) -> [UInt8] {
    let width = max(1, Int((box.size.width * scale).rounded(.up)))
    let height = max(1, Int((box.size.height * scale).rounded(.up)))
    var view = CanvasView(columns: width, rows: (height + 1) / 2)
    view.zoom(toPercent: scale * CanvasView.unitsPerColumn * 100)
    view.origin = box.origin
    var painter = ScenePainter(view: view, theme: .light)
    painter.paintShapes(scene)
    let pixels = painter.pixels
    return PNG.encode(width: width, height: height) { row, column in
      let left = pixels[row, 2 * column]
      let right = pixels[row, 2 * column + 1]
      func mean(_ one: UInt8, _ other: UInt8) -> UInt8 { UInt8((UInt16(one) + UInt16(other)) / 2) }
      return (mean(left.red, right.red), mean(left.green, right.green), mean(left.blue, right.blue))
    }
  }
}
