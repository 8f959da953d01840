// Writing and reading a replica's messages.

extension WireEncoding {
  func encode(_ message: ClientMessage) -> [UInt8] {
    switch self {
    case .json: JSONEncoding.encode(message)
    case .binary: BinaryEncoding.encode(message)
    }
  }

  func decode(_ bytes: [UInt8]) throws(MessageError) -> ServerMessage {
    switch self {
    case .json: try JSONEncoding.decodeServerMessage(bytes)
    case .binary: try BinaryEncoding.decodeServerMessage(bytes)
    }
  }
}
