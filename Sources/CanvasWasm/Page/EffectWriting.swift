// The format of effects for the page, one after the other:
//
//     kind     four bytes, little-endian: an `EffectKind`
//     length   four bytes, little-endian
//     payload  `length` bytes, then zeros up to the next multiple of eight
//
// Frequent effects are plain numbers or bytes. The other effects are JSON with a `type`, which JavaScript passes on; in
// this JSON, shapes and actors are numbers. Changes of the drawing are not among the effects: the page fetches them
// when it draws. Nor are the server's notices of overlaps: the page finds overlaps itself, and doesn't ask for notices.

extension OutputBuffer {
  mutating func append(_ effect: ReplicaEffect) {
    switch effect {
    case .connect: append(.connect, count: 0)
    case .send(let bytes):
      append(.send, count: bytes.count)
      append(bytes)
      align()
    case .disconnect: append(.disconnect, count: 0)
    case .wake(let time):
      append(.wake, count: 8)
      append(Double(time))
    case .unsent(let count):
      append(.unsent, count: 8)
      append(Double(count))
    case .changed, .reset, .departed, .overlaps: break
    case .rejected(let edit):
      append(.values, edit.operation.shape, edit.operation.set)
      appendJSON { writer in effect.write(to: &writer) }
    default: appendJSON { writer in effect.write(to: &writer) }
    }
  }

  /// Appends a text of this user's that was lost.
  mutating func append(_ loss: TextLosses.Loss) {
    appendJSON { writer in
      writer.type("textLost")
      writer.member("shape", loss.shape.packed)
      writer.member("text", loss.text)
      writer.member("by", loss.by.packed)
    }
  }

  /// Appends the identifiers of the shapes that an edit has added, in the order in which they were added.
  mutating func append(added shapes: [Identifier]) {
    appendJSON { writer in
      writer.type("added")
      writer.key("shapes")
      writer.beginArray()
      for shape in shapes { writer.value(shape.packed) }
      writer.endArray()
    }
  }

  private mutating func append(_ kind: EffectKind, count: Int) {
    append(word: kind.rawValue)
    append(word: UInt32(count))
  }

  private mutating func append(_ kind: EffectKind, _ shape: Identifier, _ set: Properties) {
    append(kind, count: 0)
    let start = count
    append(shape, set)
    store(word: UInt32(count - start), at: start - 4)
  }

  @inline(never)
  private mutating func appendJSON(_ write: (inout JSONWriter) -> Void) {
    var writer = JSONWriter(capacity: 128)
    writer.beginObject()
    write(&writer)
    writer.endObject()
    let bytes = writer.finish()
    append(.json, count: bytes.count)
    append(bytes)
    align()
  }
}

extension JSONWriter {
  fileprivate mutating func type(_ name: StaticString) { member("type", name) }

  mutating func member(_ name: StaticString, _ word: StaticString) {
    key(name)
    value(word)
  }

  mutating func member(_ name: StaticString, _ text: Text) {
    key(name)
    value(text: text)
  }

  mutating func member(_ name: StaticString, _ number: UInt64) {
    key(name)
    value(number)
  }

  mutating func value(_ peers: [Peer]) {
    beginArray()
    for peer in peers { value(peer) }
    endArray()
  }

  fileprivate mutating func value(_ peer: Peer) {
    beginObject()
    member("actor", peer.actor.packed)
    member("name", peer.name)
    key("color")
    value(peer.color)
    if let state = peer.state {
      key("state")
      value(state)
    }
    endObject()
  }
}

extension ReplicaEffect {
  fileprivate func write(to writer: inout JSONWriter) {
    switch self {
    case .connect, .send, .disconnect, .wake, .unsent, .changed, .departed, .reset, .overlaps: break
    case .keep: writer.type("keep")
    case .rejected(let edit):
      writer.type("rejected")
      writer.member("code", edit.code.wireName)
      writer.member("message", edit.message)
      switch edit.origin {
      case .edit: break
      case .undo: writer.member("origin", "undo" as Text)
      case .redo: writer.member("origin", "redo" as Text)
      }
    case .superseded(let values):
      writer.type("superseded")
      writer.key("values")
      writer.beginArray()
      for superseded in values {
        writer.beginObject()
        writer.member("shape", superseded.shape.packed)
        writer.member("property", superseded.property.wireName)
        writer.member("by", superseded.by.actor.packed)
        writer.member("milliseconds", superseded.by.milliseconds)
        writer.endObject()
      }
      writer.endArray()
    case .state(let state):
      writer.type("state")
      writer.member("state", state.word)
      if case .closed(let code) = state {
        writer.member("code", CloseCode(rawValue: code)?.wireName ?? "unknown")
      }
    case .peers(let peers):
      writer.type("peers")
      writer.key("peers")
      writer.value(peers)
    case .joined(let peer):
      writer.type("joined")
      writer.key("peer")
      writer.value(peer)
    case .left(let actor):
      writer.type("left")
      writer.member("actor", actor.packed)
    case .crowd(let people):
      writer.type("crowd")
      writer.member("people", people)
    case .presence(let peer):
      writer.type("presence")
      writer.key("peer")
      writer.value(peer)
    case .presenceTooLong: writer.type("presenceTooLong")
    case .pong(let roundTrip):
      writer.type("pong")
      writer.member("roundTripMilliseconds", roundTrip)
    case .tokenTaken: writer.type("tokenTaken")
    case .digest(let verdict):
      writer.type("digest")
      writer.member("verdict", verdict.word)
    case .error(let code, let message):
      writer.type("error")
      writer.member("code", code)
      writer.member("message", message)
    case .failure(let error):
      writer.type("failure")
      writer.member("message", error.words)
    }
  }
}

extension ReplicaState {
  var word: StaticString {
    switch self {
    case .offline: "offline"
    case .waiting: "waiting"
    case .connecting: "connecting"
    case .greeting: "greeting"
    case .loading: "loading"
    case .live: "live"
    case .closed: "closed"
    }
  }
}

extension DigestVerdict {
  fileprivate var word: StaticString {
    switch self {
    case .agrees: "agrees"
    case .disagrees: "disagrees"
    case .inconclusive: "inconclusive"
    }
  }
}
