// core.wasm knows only the binary encoding, so that it needs no reader of JSON messages. If a replica uses JSON,
// JavaScript lets exchange.wasm translate its messages in both directions.

extension WireEncoding {
  func encode(_ message: ClientMessage) -> [UInt8] { BinaryEncoding.encode(message) }

  func decode(_ bytes: [UInt8]) throws(MessageError) -> ServerMessage {
    try BinaryEncoding.decodeServerMessage(bytes)
  }
}
