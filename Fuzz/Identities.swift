// Fuzzes identifiers and stamps as text. A text that parses must print to the same bytes again. Other text must be
// refused without a crash. If two texts named the same stamp, two replicas could order a write differently.

@testable import CanvasCRDT

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let input = UnsafeRawBufferPointer(start: start, count: count)
  if let identifier = Identifier(text: input) {
    precondition(identifier.text.utf8.elementsEqual(input), "an identifier prints other bytes than it was read from")
    precondition(Identifier(packed: identifier.packed) == identifier, "an identifier is not within its own bounds")
  }
  if let stamp = Stamp(text: input) {
    precondition(stamp.text.utf8.elementsEqual(input), "a stamp prints other bytes than it was read from")
  }
  return 0
}
