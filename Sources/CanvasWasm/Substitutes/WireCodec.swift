// core.wasm speaks the binary encoding only, so it contains no reader of JSON messages. For a replica that speaks JSON,
// JavaScript lets exchange.wasm translate the messages in both directions.

extension WireEncoding {
  func encode(_ message: ClientMessage) -> [UInt8] { BinaryEncoding.encode(message) }

  func decode(_ bytes: [UInt8]) throws(MessageError) -> ServerMessage {
    try BinaryEncoding.decodeServerMessage(bytes)
  }
}
