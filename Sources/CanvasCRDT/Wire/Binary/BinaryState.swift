// A whole canvas outside of any message: the number of its parts as a varint, then each part as columns.

extension BinaryEncoding {
  public static func encode(state canvas: Canvas) -> [UInt8] {
    var writer = ByteWriter(capacity: 256)
    write(state: canvas, to: &writer)
    return writer.finish()
  }

  /// Decodes a canvas. A canvas of more than `shapesMax` shapes is rejected. `seed` is passed to `Canvas`.
  public static func decodeState(
    _ bytes: UnsafeRawBufferPointer,
    shapesMax: Int,
    seed: UInt64
  ) throws(MessageError) -> Canvas {
    var reader = ByteReader(bytes)
    do throws(BinaryFailure) {
      let canvas = try readState(from: &reader, shapesMax: shapesMax, seed: seed)
      guard reader.isAtEnd else { throw .malformed("bytes behind the state") }
      return canvas
    } catch {
      throw error.error()
    }
  }

  static func write(state canvas: Canvas, to writer: inout ByteWriter) {
    let parts = canvas.stateParts()
    writer.appendVarint(UInt64(parts.count))
    for part in parts { StateColumnsWriter.write(part, to: &writer) }
  }

  static func readState(
    from reader: inout ByteReader,
    shapesMax: Int,
    seed: UInt64
  ) throws(BinaryFailure) -> Canvas {
    var canvas = Canvas(seed: seed)
    for _ in 0..<(try reader.count(bytesEach: 1)) {
      let columns = try StateColumnsReader.read(reader)
      reader = columns.rest
      canvas.merge(columns.part)
      guard canvas.shapeCount <= shapesMax else { throw .refused(.roomFull, "more shapes than a room may hold") }
    }
    return canvas
  }
}
