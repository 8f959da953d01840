// Fuzzes imported documents: layouts of squares, and saved drawings. An accepted document must have only allowed
// values, and must read back as the same shapes after it is saved. Other input must be refused with a message, without
// a crash.

@testable import CanvasCRDT

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let input = UnsafeRawBufferPointer(start: start, count: count)
  guard let imported = try? Import.read(input, shapesMax: 1_000) else { return 0 }
  var canvas = Canvas(seed: 1)
  let actor = Identifier(packed: 1)!
  for (index, shape) in imported.enumerated() {
    precondition((try? shape.properties.check()) != nil, "a value is out of range that was taken in")
    let stamp = Stamp(milliseconds: UInt64(index), counter: 0, actor: actor)!
    canvas.apply(Operation(shape: Identifier(packed: UInt64(index))!, at: stamp, set: shape.properties))
  }
  let document = Drawing(canvas).document(room: "room", cursor: "1")
  guard let again = try? Import.read(document) else { preconditionFailure("a drawing of ours is not taken in") }
  precondition(again.count == canvas.liveCount, "a shape is lost between writing and reading")
  return 0
}
