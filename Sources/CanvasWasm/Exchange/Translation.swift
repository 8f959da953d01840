// Translates messages for sessions that use JSON, because core.wasm knows only the binary encoding.

/// Translates a server's JSON message in the input to the binary encoding. An unknown kind of message becomes a binary
/// message of an unknown kind. If the input isn't a message, the answer is empty.
@_cdecl("fromServer")
func fromServer(_ count: UInt32) -> Answer {
  output.clear()
  do throws(MessageError) {
    output.append(BinaryEncoding.encode(try JSONEncoding.decodeServerMessage(input.bytes(count))))
  } catch {
    if case .unknownType = error { output.append(byte: UInt8.max) }
  }
  return Answer(output.count)
}

/// Translates a client's binary message in the input to JSON.
@_cdecl("toServer")
func toServer(_ count: UInt32) -> Answer {
  do throws(MessageError) {
    let message = try BinaryEncoding.decodeClientMessage(input.bytes(count))
    output.clear()
    output.append(JSONEncoding.encode(message))
    return Answer(output.count)
  } catch {
    return fail(error.words)
  }
}
