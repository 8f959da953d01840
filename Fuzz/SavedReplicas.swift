// Fuzzes a client's saved state, as it can come back from a browser's storage. It must be restored, or refused with a
// named error. A restored replica must save to bytes that restore the same drawing and the same unsent edits.

@testable import CanvasCRDT

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let input = [UInt8](UnsafeRawBufferPointer(start: start, count: count))
  // Nearly every mutation breaks the checksum. So each input is also tried with a corrected checksum.
  for bytes in [input, SavedReplica.withChecksum(input)] {
    guard let replica = try? Replica(saved: bytes, seed: 1) else { continue }
    let saved = replica.save(withDrawing: true)
    guard let again = try? Replica(saved: saved, seed: 1) else { preconditionFailure("what was saved is not restored") }
    precondition(again.canvas == replica.canvas, "restoring changes the drawing")
    precondition(again.unsentCount == replica.unsentCount, "restoring loses or invents edits")
  }
  return 0
}
