#if !canImport(CanvasCRDT)
  // core.wasm speaks the binary encoding and no other. For a session that is to speak JSON, JavaScript has the other
  // module translate what comes and what goes.

  extension WireEncoding {
    func encode(_ message: ClientMessage) -> [UInt8] { BinaryEncoding.encode(message) }

    func decode(_ bytes: [UInt8]) throws(MessageError) -> ServerMessage {
      try BinaryEncoding.decodeServerMessage(bytes)
    }
  }
#endif
