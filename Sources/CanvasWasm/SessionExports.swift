#if canImport(CanvasCRDT)
  import CanvasCRDT
#endif

// A session's life: made, saved, made again from what was saved, given up. And what it says about itself.

/// What a session is told once: `{"type":"hello", …}` as a client would say it, of which `actor`, `name`, `color`,
/// `overlaps` and `readonly` count; then which encoding it speaks, by `WireEncoding`.
private func readConfiguration(
  _ count: UInt32,
  encoding: UInt32
) throws(MessageError) -> (configuration: ReplicaConfiguration, actor: Identifier?) {
  guard case .hello(let hello) = try JSONEncoding.decodeClientMessage(input.bytes(count)) else {
    throw .badField("a session begins with a hello")
  }
  var configuration = ReplicaConfiguration()
  configuration.name = hello.name
  configuration.color = hello.color
  configuration.overlaps = hello.overlaps
  configuration.readonly = hello.readonly
  configuration.encoding = encoding == UInt32(WireEncoding.json.rawValue) ? .json : .binary
  return (configuration, hello.actor)
}

/// A new session. Its handle is the answer, a double.
@_expose(wasm, "createSession") @_cdecl("canvas_create_session")
func createSession(_ count: UInt32, _ encoding: UInt32, _ seed: UInt64) -> Answer {
  do throws(MessageError) {
    let (configuration, actor) = try readConfiguration(count, encoding: encoding)
    return enter(Session(Replica(actor: actor, configuration: configuration, seed: seed), seed: ~seed))
  } catch {
    return fail(error.words)
  }
}

/// A session that goes on from what was saved, which stands in the input behind the hello.
@_expose(wasm, "restoreSession") @_cdecl("canvas_restore_session")
func restoreSession(_ count: UInt32, _ savedCount: UInt32, _ encoding: UInt32, _ seed: UInt64) -> Answer {
  let configuration: ReplicaConfiguration
  do throws(MessageError) {
    configuration = try readConfiguration(count, encoding: encoding).configuration
  } catch {
    return fail(error.words)
  }
  let saved = [UInt8](input.bytes(count + savedCount)[Int(count)...])
  do throws(SavedReplicaError) {
    return enter(Session(try Replica(saved: saved, configuration: configuration, seed: seed), seed: ~seed))
  } catch {
    switch error {
    case .damaged: return fail("what was saved is damaged")
    case .unknownVersion: return fail("it was saved by another version of the program")
    case .tooLarge: return fail("what was saved is larger than a room may be")
    }
  }
}

private func enter(_ session: consuming Session) -> Answer {
  let handle = sessions.insert(session)
  output.clear()
  output.append(Double(handle))
  return Answer(output.count)
}

@_expose(wasm, "destroySession") @_cdecl("canvas_destroy_session")
func destroySession(_ session: UInt32) {
  sessions.remove(session)
}

/// What `restoreSession` takes. Without the drawing it is short: who one is, and what was not sent.
@_expose(wasm, "save") @_cdecl("canvas_save")
func save(_ session: UInt32, _ withDrawing: Bool) -> Answer {
  answer(session) { session, output in output.append(session.replica.save(withDrawing: withDrawing)) }
}

// MARK: - What it says about itself

/// JSON: who one is, where, as what, how connected, under which limits and with whom.
@_expose(wasm, "status") @_cdecl("canvas_status")
func status(_ session: UInt32) -> Answer {
  answer(session) { session, output in
    let replica = session.replica
    var writer = JSONWriter(capacity: 512)
    writer.beginObject()
    writer.member("actor", replica.actor.packed)
    if let room = replica.room { writer.member("room", room) }
    if let role = replica.role {
      writer.key("role")
      writer.value(role.wireName)
    }
    writer.key("state")
    writer.value(replica.state)
    if let cursor = replica.cursor { writer.member("cursor", cursor.text) }
    writer.key("limits")
    writer.beginObject()
    writer.member("messageBytes", replica.limits.messageBytes)
    writer.member("operationsPerMessage", replica.limits.operationsPerMessage)
    writer.member("operationsPerSecond", replica.limits.operationsPerSecond)
    writer.member("shapes", replica.limits.shapes)
    writer.member("clockAheadMilliseconds", replica.limits.clockAheadMilliseconds)
    writer.member("presenceBytes", replica.limits.presenceBytes)
    writer.member("horizonMilliseconds", replica.limits.horizonMilliseconds)
    writer.endObject()
    writer.key("peers")
    writer.beginArray()
    for peer in replica.peers { writer.value(peer) }
    writer.endArray()
    writer.endObject()
    output.append(writer.finish())
  }
}

@_expose(wasm, "actor") @_cdecl("canvas_actor")
func actor(_ session: UInt32) -> Double { sessions[session].replica.actor.number }

@_expose(wasm, "shapeCount") @_cdecl("canvas_shape_count")
func shapeCount(_ session: UInt32) -> UInt32 { UInt32(sessions[session].order.count) }

/// How many operations the server has not yet answered for.
@_expose(wasm, "unsentCount") @_cdecl("canvas_unsent_count")
func unsentCount(_ session: UInt32) -> UInt32 { UInt32(sessions[session].replica.unsentCount) }

@_expose(wasm, "canUndo") @_cdecl("canvas_can_undo")
func canUndo(_ session: UInt32) -> Bool { sessions[session].replica.canUndo }

@_expose(wasm, "canRedo") @_cdecl("canvas_can_redo")
func canRedo(_ session: UInt32) -> Bool { sessions[session].replica.canRedo }

/// The digest of what is shown, or of what of it is confirmed.
@_expose(wasm, "digest") @_cdecl("canvas_digest")
func digest(_ session: UInt32, _ ofConfirmed: Bool) -> UInt64 {
  ofConfirmed ? sessions[session].replica.confirmedDigest : sessions[session].replica.canvas.digest
}

/// What the server's clock says.
@_expose(wasm, "serverMilliseconds") @_cdecl("canvas_server_milliseconds")
func serverMilliseconds(_ session: UInt32, _ wall: Double, _ monotonic: Double) -> Double {
  Double(sessions[session].replica.serverMilliseconds(at: Moment(wall, monotonic)))
}
