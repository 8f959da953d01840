// Events of the connection. Each export takes the values of `Date.now()` and `performance.now()`, and answers with
// effects.

@_expose(wasm, "start") @_cdecl("canvas_start")
func start(_ session: UInt32, _ wall: Double, _ monotonic: Double) -> Answer {
  perform(session) { $0.replica.start(at: Moment(wall, monotonic)) }
}

@_expose(wasm, "stop") @_cdecl("canvas_stop")
func stop(_ session: UInt32, _ wall: Double, _ monotonic: Double) -> Answer {
  perform(session) { $0.replica.stop(at: Moment(wall, monotonic)) }
}

/// Changes the user's name and color. The input is a hello, of which only these two fields are used.
@_expose(wasm, "introduce") @_cdecl("canvas_introduce")
func introduce(_ session: UInt32, _ count: UInt32, _ wall: Double, _ monotonic: Double) -> Answer {
  do throws(MessageError) {
    let hello = try BinaryEncoding.decodeHello(input.bytes(count))
    return perform(session) {
      $0.replica.introduce(name: hello.name, color: hello.color, at: Moment(wall, monotonic))
    }
  } catch {
    return fail(error.words)
  }
}

@_expose(wasm, "connected") @_cdecl("canvas_connected")
func connected(_ session: UInt32, _ wall: Double, _ monotonic: Double) -> Answer {
  perform(session) { $0.replica.connected(at: Moment(wall, monotonic)) }
}

/// The connection was lost, or could not be opened. `closeCode` is 0 if there was none.
@_expose(wasm, "disconnected") @_cdecl("canvas_disconnected")
func disconnected(_ session: UInt32, _ closeCode: UInt32, _ wall: Double, _ monotonic: Double) -> Answer {
  let code = UInt16(exactly: closeCode) ?? 0
  return perform(session) {
    $0.replica.disconnected(closeCode: code == 0 ? nil : code, at: Moment(wall, monotonic))
  }
}

/// Processes a frame from the server, which is the input.
@_expose(wasm, "received") @_cdecl("canvas_received")
func received(_ session: UInt32, _ count: UInt32, _ isText: Bool, _ wall: Double, _ monotonic: Double) -> Answer {
  perform(session) { $0.replica.received(input.array(count), isText: isText, at: Moment(wall, monotonic)) }
}

@_expose(wasm, "wake") @_cdecl("canvas_wake")
func wake(_ session: UInt32, _ wall: Double, _ monotonic: Double) -> Answer {
  perform(session) { $0.replica.wake(at: Moment(wall, monotonic)) }
}

@_expose(wasm, "ping") @_cdecl("canvas_ping")
func ping(_ session: UInt32, _ wall: Double, _ monotonic: Double) -> Answer {
  perform(session) { $0.replica.ping(at: Moment(wall, monotonic)) }
}

@_expose(wasm, "askDigest") @_cdecl("canvas_ask_digest")
func askDigest(_ session: UInt32, _ wall: Double, _ monotonic: Double) -> Answer {
  perform(session) { $0.replica.askDigest(at: Moment(wall, monotonic)) }
}

/// Sets the presence that other people see: a JSON object, which is the input.
@_expose(wasm, "setPresence") @_cdecl("canvas_set_presence")
func setPresence(_ session: UInt32, _ count: UInt32, _ wall: Double, _ monotonic: Double) -> Answer {
  let state: JSONText
  do throws(JSONFailure) {
    state = try JSONText(validating: input.bytes(count), maximumBytes: Int(count))
    guard state.kind == .object else { throw JSONFailure(.unexpectedKind, at: 0) }
  } catch {
    return fail(error.message)
  }
  return perform(session) { $0.replica.setPresence(state, at: Moment(wall, monotonic)) }
}
