// core.wasm speaks the binary encoding and no other, so that it contains no reader of JSON messages. For a replica that is
// to speak JSON, JavaScript has exchange.wasm translate what comes and what goes.

extension WireEncoding {
  func encode(_ message: ClientMessage) -> [UInt8] { BinaryEncoding.encode(message) }

  func decode(_ bytes: [UInt8]) throws(MessageError) -> ServerMessage {
    try BinaryEncoding.decodeServerMessage(bytes)
  }
}
