#if canImport(CanvasCRDT)
  import CanvasCRDT
#endif

// Outlines on their way from core.wasm, which knows the shapes, to geometry.wasm, which knows what lies where: doubles.
//
//     shape    its identifier; −1 for none: all that was told before is forgotten, and what follows is all there is
//     kind     by `ShapeKind`; −1 where the shape is gone or hidden, and then nothing more. Nor is there behind no shape
//     x, y, width, height, rotation, cornerRadius, points, innerRatio

extension OutputBuffer {
  /// Where a shape is; hidden ones are nowhere.
  mutating func append(_ shape: Identifier, placedIn canvas: Canvas) {
    if let shape = canvas[shape], shape.properties.visible { return append(outlineOf: shape) }
    append(shape)
    append(-1.0)
  }

  @inline(never)
  mutating func append(outlineOf shape: Shape) {
    append(shape.id)
    append(Double(shape.properties.kind.rawValue))
    append(shape.properties.position)
    append(shape.properties.size.width)
    append(shape.properties.size.height)
    append(shape.properties.rotation)
    append(shape.properties.cornerRadius)
    append(Double(shape.properties.points))
    append(shape.properties.innerRatio)
  }

  mutating func appendForgetting() { append(-1.0) }
}

struct OutlineRowReader {
  private let bytes: UnsafeRawBufferPointer
  private var offset = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// The next row, nothing behind the last.
  mutating func next() -> (shape: Identifier?, outline: Outline?)? {
    guard offset < bytes.count else { return nil }
    guard let shape = Identifier(number: number()) else { return (nil, nil) }
    guard let raw = UInt8(exactly: number()), let kind = ShapeKind(rawValue: raw) else { return (shape, nil) }
    var outline = Outline(
      kind: kind,
      position: Point(x: number(), y: number()),
      size: Size(width: number(), height: number())
    )
    outline.rotation = number()
    outline.cornerRadius = number()
    outline.points = Int(number())
    outline.innerRatio = number()
    return (shape, outline)
  }

  private mutating func number() -> Double {
    defer { offset += 8 }
    return bytes.load(fromByteOffset: offset, as: Double.self)
  }
}
