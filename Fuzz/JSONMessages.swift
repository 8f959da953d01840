// Fuzzes the JSON messages of clients and servers. An accepted message must keep its content when it is written and
// read again, in JSON and in the binary encoding. Other input must be refused without a crash.

@testable import CanvasCRDT

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let input = UnsafeRawBufferPointer(start: start, count: count)
  if let message = try? JSONEncoding.decodeClientMessage(input) {
    let json = JSONEncoding.encode(message)
    precondition((try? JSONEncoding.decodeClientMessage(json)) == message, "a client's message changes as JSON")
    let binary = BinaryEncoding.encode(message)
    precondition((try? BinaryEncoding.decodeClientMessage(binary)) == message, "a client's message changes as binary")
  }
  if let message = try? JSONEncoding.decodeServerMessage(input) {
    let json = JSONEncoding.encode(message)
    precondition((try? JSONEncoding.decodeServerMessage(json)) == message, "a server's message changes as JSON")
    let binary = BinaryEncoding.encode(message)
    precondition((try? BinaryEncoding.decodeServerMessage(binary)) == message, "a server's message changes as binary")
  }
  _ = try? JSONEncoding.decodeSubmission(input, operationsMax: 8)
  return 0
}
