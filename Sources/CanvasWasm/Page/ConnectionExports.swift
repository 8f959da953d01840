// Events of the connection. Each export takes the values of `Date.now()` and `performance.now()`, and answers with
// effects.

@_cdecl("start")
func start(_ session: UInt32, _ wall: Double, _ monotonic: Double) -> Answer {
  perform(session, wall, monotonic) { $0.replica.start(at: $1) }
}

@_cdecl("stop")
func stop(_ session: UInt32, _ wall: Double, _ monotonic: Double) -> Answer {
  perform(session, wall, monotonic) { $0.replica.stop(at: $1) }
}

/// Changes the user's name and color. The input is a hello, of which only these two fields are used.
@_cdecl("introduce")
func introduce(_ session: UInt32, _ count: UInt32, _ wall: Double, _ monotonic: Double) -> Answer {
  do throws(MessageError) {
    let hello = try BinaryEncoding.decodeHello(input.bytes(count))
    return perform(session, wall, monotonic) {
      $0.replica.introduce(name: hello.name, color: hello.color, at: $1)
    }
  } catch {
    return fail(error.words)
  }
}

@_cdecl("connected")
func connected(_ session: UInt32, _ wall: Double, _ monotonic: Double) -> Answer {
  perform(session, wall, monotonic) { $0.replica.connected(at: $1) }
}

/// The connection was lost, or could not be opened. `closeCode` is 0 if there was none.
@_cdecl("disconnected")
func disconnected(_ session: UInt32, _ closeCode: UInt32, _ wall: Double, _ monotonic: Double) -> Answer {
  let code = UInt16(exactly: closeCode) ?? 0
  return perform(session, wall, monotonic) {
    $0.replica.disconnected(closeCode: code == 0 ? nil : code, at: $1)
  }
}

/// Processes a frame from the server, which is the input.
@_cdecl("received")
func received(_ session: UInt32, _ count: UInt32, _ isText: Bool, _ wall: Double, _ monotonic: Double) -> Answer {
  perform(session, wall, monotonic) { session, now in
    session.line?.heard(at: now)
    return session.replica.received(input.array(count), isText: isText, at: now)
  }
}

@_cdecl("wake")
func wake(_ session: UInt32, _ wall: Double, _ monotonic: Double) -> Answer {
  perform(session, wall, monotonic) { $0.replica.wake(at: $1) }
}

/// From now on, the session looks after its connection: see `ReplicaLine`.
@_cdecl("watchLine")
func watchLine(_ session: UInt32) { find(session).line = ReplicaLine() }

@_cdecl("lookAtLine")
func lookAtLine(_ session: UInt32, _ wall: Double, _ monotonic: Double) -> Answer {
  perform(session, wall, monotonic) { session, now in session.line?.look(at: &session.replica, at: now) ?? [] }
}

/// The page was suspended, or the network was away.
@_cdecl("wakeLine")
func wakeLine(_ session: UInt32, _ wall: Double, _ monotonic: Double) -> Answer {
  perform(session, wall, monotonic) { session, now in session.line?.wake(&session.replica, at: now) ?? [] }
}

/// The newest round-trip time in milliseconds. 0 before the first measurement.
@_cdecl("roundTrip")
func roundTrip(_ session: UInt32) -> Double { Double(find(session).line?.roundTripMilliseconds ?? 0) }

@_cdecl("isLineSlow")
func isLineSlow(_ session: UInt32) -> Bool { find(session).line?.isSlow ?? false }

/// Sends the server another token, which is the input.
@_cdecl("bringToken")
func bringToken(_ session: UInt32, _ count: UInt32, _ wall: Double, _ monotonic: Double) -> Answer {
  guard let token = Text(utf8: input.bytes(count)) else { return fail("a token must be UTF-8") }
  return perform(session, wall, monotonic) { $0.replica.bringToken(token, at: $1) }
}

@_cdecl("ping")
func ping(_ session: UInt32, _ wall: Double, _ monotonic: Double) -> Answer {
  perform(session, wall, monotonic) { $0.replica.ping(at: $1) }
}

@_cdecl("askDigest")
func askDigest(_ session: UInt32, _ wall: Double, _ monotonic: Double) -> Answer {
  perform(session, wall, monotonic) { $0.replica.askDigest(at: $1) }
}

/// Sets the presence that other people see: a JSON object, which is the input.
@_cdecl("setPresence")
func setPresence(_ session: UInt32, _ count: UInt32, _ wall: Double, _ monotonic: Double) -> Answer {
  let state: JSONText
  do throws(JSONFailure) {
    state = try JSONText(validating: input.bytes(count), maximumBytes: Int(count))
    guard state.kind == .object else { throw JSONFailure(.unexpectedKind, at: 0) }
  } catch {
    return fail(error.message)
  }
  return perform(session, wall, monotonic) { session, now in
    session.line?.showPresence(state, of: &session.replica, at: now) ?? session.replica.setPresence(state, at: now)
  }
}

/// Another person's presence says in which shape they write. −1 stands for none.
@_cdecl("noteWriting")
func noteWriting(_ session: UInt32, _ actor: Double, _ shape: Double, _ wall: Double, _ monotonic: Double) {
  guard let actor = Identifier(number: actor) else { return }
  find(session).note(actor, writesIn: Identifier(number: shape), at: Moment(wall, monotonic))
}
