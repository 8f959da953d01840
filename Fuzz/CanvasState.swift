// Fuzzes a canvas's state: the columns of a state message, without the message's header. Accepted columns must merge
// into a canvas. That canvas's own columns must give an equal canvas. Other input must be refused without a crash.

@testable import CanvasCRDT

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  var message: [UInt8] = [0x43, 0, 0]
  message.append(contentsOf: UnsafeRawBufferPointer(start: start, count: count))
  guard let part = state(in: message) else { return 0 }
  precondition(columns(of: part) == message, "a state has two encodings")

  var canvas = Canvas(seed: 1)
  canvas.merge(part)
  var operations = Canvas(seed: 1)
  part.forEachOperation { operations.apply($0) }
  precondition(operations == canvas, "columns and operations say different things")

  var rebuilt = Canvas(seed: 1)
  for part in canvas.stateParts(shapesMax: 16) {
    guard let sent = state(in: columns(of: part)) else { preconditionFailure("columns of ours are refused") }
    precondition(sent == part, "a part arrives as another")
    rebuilt.merge(sent)
  }
  precondition(rebuilt == canvas && rebuilt.digest == canvas.digest, "a canvas arrives as another")
  return 0
}

private func columns(of part: StatePart) -> [UInt8] {
  BinaryEncoding.encode(.operations(Delivery(cursor: Cursor(""), content: .state(part))))
}

private func state(in message: [UInt8]) -> StatePart? {
  guard case .operations(let delivery)? = try? BinaryEncoding.decodeServerMessage(message),
    case .state(let part) = delivery.content
  else { return nil }
  return part
}
