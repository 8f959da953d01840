// Binary messages of either side: whatever is taken is encoded to the same bytes again, and the rest is refused without
// a trap. A message with two encodings would let a relay and a reader disagree about what was said.

@testable import CanvasCRDT

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let input = UnsafeRawBufferPointer(start: start, count: count)
  if let message = try? BinaryEncoding.decodeClientMessage(input) {
    precondition(BinaryEncoding.encode(message).elementsEqual(input), "a client's message has two encodings")
  }
  if let message = try? BinaryEncoding.decodeServerMessage(input) {
    precondition(BinaryEncoding.encode(message).elementsEqual(input), "a server's message has two encodings")
  }
  return 0
}
