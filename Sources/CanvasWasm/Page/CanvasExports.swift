// A canvas without a replica. It is used to show a room's past, and for measurements.

/// A class, because it is large and nothing needs a copy.
final class BareCanvas {
  var canvas = Canvas(seed: chance.next())
}

@_cdecl("createCanvas")
func createCanvas() -> UInt32 { canvases.insert(BareCanvas()) }

@_cdecl("destroyCanvas")
func destroyCanvas(_ canvas: UInt32) {
  canvases.remove(canvas)
}

/// Reads a server's binary frame from the input, and merges its operations or its state. The answer is empty.
@_cdecl("mergeFrame")
func mergeFrame(_ canvas: UInt32, _ count: UInt32) -> Answer {
  merge(input.bytes(count), into: canvas)
}

/// Merges several frames. Each has its length before it, in four bytes, little-endian.
@_cdecl("mergeFrames")
func mergeFrames(_ canvas: UInt32, _ count: UInt32) -> Answer {
  let bytes = input.bytes(count)
  var reader = ByteReader(bytes)
  while !reader.isAtEnd {
    let frame: UnsafeRawBufferPointer
    do throws(ByteReader.Failure) {
      frame = try reader.readBytes(Int(clamping: try reader.readLittleEndian(as: UInt32.self)))
    } catch {
      return fail("the frames end before their lengths do")
    }
    let answer = merge(frame, into: canvas)
    guard answer == 0 else { return answer }
  }
  return 0
}

private func merge(_ frame: UnsafeRawBufferPointer, into canvas: UInt32) -> Answer {
  do throws(MessageError) {
    guard case .operations(let delivery) = try BinaryEncoding.decodeServerMessage(frame) else {
      return fail("a message that brings no operations")
    }
    let bare = canvases[canvas]
    switch delivery.content {
    case .operations(let operations):
      for index in operations.indices { bare.canvas.apply(operations[index]) }
    case .state(let part): bare.canvas.merge(part)
    }
    return 0
  } catch {
    return fail(error.words)
  }
}

@_cdecl("canvasDigest")
func canvasDigest(_ canvas: UInt32) -> UInt64 { canvases[canvas].canvas.digest }

@_cdecl("canvasShapeCount")
func canvasShapeCount(_ canvas: UInt32) -> UInt32 { UInt32(canvases[canvas].canvas.liveCount) }
