// Creating, saving, restoring and destroying sessions, and questions about their state.

/// Reads a session's settings: a hello in the binary encoding, and then the session's own encoding, a `WireEncoding`.
/// Of the hello, only `actor`, `name`, `color`, `overlaps` and `readonly` are used.
private func readConfiguration(
  _ count: UInt32,
  encoding: UInt32
) throws(MessageError) -> (configuration: ReplicaConfiguration, actor: Identifier?) {
  let hello = try BinaryEncoding.decodeHello(input.bytes(count))
  var configuration = ReplicaConfiguration()
  configuration.name = hello.name
  configuration.color = hello.color
  configuration.overlaps = hello.overlaps
  configuration.readonly = hello.readonly
  configuration.encoding = encoding == UInt32(WireEncoding.json.rawValue) ? .json : .binary
  return (configuration, hello.actor)
}

/// Makes a new session. The answer is its handle, as a double.
@_cdecl("createSession")
func createSession(_ count: UInt32, _ encoding: UInt32, _ seed: UInt64) -> Answer {
  do throws(MessageError) {
    let (configuration, actor) = try readConfiguration(count, encoding: encoding)
    return enter(Session(Replica(actor: actor, configuration: configuration, seed: seed), seed: ~seed))
  } catch {
    return fail(error.words)
  }
}

/// Restores a session. The input is a hello, a saved replica and a saved drawing; the last two may be empty. Without a
/// saved replica, the session is a new client. Without a saved drawing, the drawing in the saved replica is used.
@_cdecl("restoreSession")
func restoreSession(_ count: UInt32, _ savedCount: UInt32, _ drawingCount: UInt32, _ encoding: UInt32, _ seed: UInt64)
  -> Answer
{
  let configuration: ReplicaConfiguration
  do throws(MessageError) {
    configuration = try readConfiguration(count, encoding: encoding).configuration
  } catch {
    return fail(error.words)
  }
  let bytes = input.bytes(count + savedCount + drawingCount)
  let saved = [UInt8](bytes[Int(count)..<Int(count + savedCount)])
  let drawing = [UInt8](bytes[Int(count + savedCount)...])
  do throws(SavedReplicaError) {
    let replica =
      saved.isEmpty
      ? try Replica(drawing: drawing, configuration: configuration, seed: seed)
      : try Replica(
        saved: saved,
        drawing: drawing.isEmpty ? nil : drawing,
        configuration: configuration,
        seed: seed
      )
    return enter(Session(replica, seed: ~seed))
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

@_cdecl("destroySession")
func destroySession(_ session: UInt32) {
  sessions.remove(session)
}

/// The bytes for `restoreSession`. Without the drawing they are short: the client's actor and its unsent edits.
@_cdecl("save")
func save(_ session: UInt32, _ withDrawing: Bool) -> Answer {
  answer(session) { session, output in output.append(session.with { $0.save(withDrawing: withDrawing) }) }
}

/// To be called before `save`. The result is a time, which JavaScript passes to `kept` once the save is stored.
@_cdecl("reserveStamps")
func reserveStamps(_ session: UInt32) -> Double { Double(find(session).with { $0.reserveStamps() }) }

/// Called when the save that was made after `reserveStamps` has been stored.
@_cdecl("kept")
func kept(_ session: UInt32, _ until: Double, _ wall: Double, _ monotonic: Double) -> Answer {
  perform(session, wall, monotonic) {
    $0.replica.kept(untilMilliseconds: UInt64(max(0, until)), at: $1)
  }
}

/// Makes stamps with the counters of this share.
@_cdecl("takeShare")
func takeShare(_ session: UInt32, _ number: UInt32, _ wall: Double, _ monotonic: Double) -> Answer {
  perform(session, wall, monotonic) { $0.replica.take(CounterShare(UInt64(number)), at: $1) }
}

/// The shown drawing in saved form, for another session to start with.
@_cdecl("saveShown")
func saveShown(_ session: UInt32) -> Answer {
  answer(session) { session, output in output.append(session.with { $0.saveShown() }) }
}

// MARK: - Status

/// The session's state as JSON: the user, the room, the role, the connection, the limits and the other people.
@_cdecl("status")
func status(_ session: UInt32) -> Answer {
  answer(session) { session, output in
    var writer = JSONWriter(capacity: 512)
    writer.beginObject()
    writer.member("actor", session.replica.actor.packed)
    if let room = session.replica.room { writer.member("room", room) }
    if let role = session.replica.role { writer.member("role", role.wireName) }
    writer.member("state", session.replica.state.word)
    if let cursor = session.replica.cursor { writer.member("cursor", cursor.text) }
    writer.key("limits")
    writer.value(session.replica.limits)
    writer.key("peers")
    writer.value(session.replica.peers)
    writer.endObject()
    output.append(writer.finish())
  }
}

extension JSONWriter {
  fileprivate mutating func value(_ limits: RoomLimits) {
    beginObject()
    member("messageBytes", limits.messageBytes)
    member("operationsPerMessage", limits.operationsPerMessage)
    member("operationsPerSecond", limits.operationsPerSecond)
    member("shapes", limits.shapes)
    member("clockAheadMilliseconds", limits.clockAheadMilliseconds)
    member("presenceBytes", limits.presenceBytes)
    member("horizonMilliseconds", limits.horizonMilliseconds)
    endObject()
  }
}

@_cdecl("actor")
func actor(_ session: UInt32) -> Double { find(session).replica.actor.number }

@_cdecl("shapeCount")
func shapeCount(_ session: UInt32) -> UInt32 { UInt32(find(session).order.count) }

/// How many operations the server has not answered yet.
@_cdecl("unsentCount")
func unsentCount(_ session: UInt32) -> UInt32 { UInt32(find(session).with { $0.unsentCount }) }

@_cdecl("canUndo")
func canUndo(_ session: UInt32) -> Bool { find(session).with { $0.canUndo } }

@_cdecl("canRedo")
func canRedo(_ session: UInt32) -> Bool { find(session).with { $0.canRedo } }

/// The digest of the shown drawing, or of the confirmed drawing.
@_cdecl("digest")
func digest(_ session: UInt32, _ ofConfirmed: Bool) -> UInt64 {
  find(session).with { ofConfirmed ? $0.confirmedDigest : $0.canvas.digest }
}

/// An estimate of the time on the server's clock.
@_cdecl("serverMilliseconds")
func serverMilliseconds(_ session: UInt32, _ wall: Double, _ monotonic: Double) -> Double {
  Double(find(session).with { $0.serverMilliseconds(at: Moment(wall, monotonic)) })
}
