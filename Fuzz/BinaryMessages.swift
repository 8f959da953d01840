// Fuzzes the binary messages of clients and servers. An accepted message must encode to the same bytes again. Other
// input must be refused without a crash. If a message had two encodings, two readers could disagree about its content.

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
