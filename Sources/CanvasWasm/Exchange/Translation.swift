// JSON for a session that is to speak it: core.wasm speaks the binary encoding only.

/// A server's message in JSON, which stands in the input, in the binary encoding. What is no message becomes bytes that
/// are none either, of a kind that there is not where that was what was wrong.
@_expose(wasm, "fromServer") @_cdecl("canvas_from_server")
func fromServer(_ count: UInt32) -> Answer {
  output.clear()
  do throws(MessageError) {
    output.append(BinaryEncoding.encode(try JSONEncoding.decodeServerMessage(input.bytes(count))))
  } catch {
    if case .unknownType = error { output.append(byte: UInt8.max) }
  }
  return Answer(output.count)
}

/// A client's message in the binary encoding, which stands in the input, as JSON.
@_expose(wasm, "toServer") @_cdecl("canvas_to_server")
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
