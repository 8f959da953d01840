import CanvasCRDT

// Decides which actor a newcomer is.

extension Audience {
  /// The actor that a newcomer becomes: the one that its `hello` names, if the newcomer may have it, otherwise a new
  /// one.
  func actor(
    for hello: Hello,
    as role: Role,
    in room: Text,
    _ keys: ActorKeys,
    using generator: inout some RandomNumberGenerator
  ) -> Identifier {
    if let named = hello.actor, mayBe(named, hello, role, room, keys) { return named }
    var actor = keys.newActor(in: room, using: &generator)
    while id(of: actor) != nil { actor = keys.newActor(in: room, using: &generator) }
    return actor
  }

  private func mayBe(_ actor: Identifier, _ hello: Hello, _ role: Role, _ room: Text, _ keys: ActorKeys) -> Bool {
    let older = member(of: actor)
    if keys.isKey(hello.key, of: actor, in: room) {
      // A viewer never closes an editor's connection.
      return role == .editor || older?.role != .editor
    }
    // A client without a key may go on as an actor that it chose itself, or that it got before there were keys, unless
    // the actor is connected. The client gets no key for this actor, because with a key it could take the actor over
    // from a connected client.
    return hello.key == nil && older == nil && !keys.isMarked(actor, in: room)
  }
}

extension ActorKeys {
  /// The key in a welcome. `nil` if the client speaks binary and its `hello` has no `key`, because older clients of
  /// that kind can't read keys.
  func key(of actor: Identifier, in room: Text, for hello: Hello, _ encoding: WireEncoding) -> Text? {
    isMarked(actor, in: room) && (encoding == .json || hello.key != nil) ? key(of: actor, in: room) : nil
  }
}

extension Color {
  /// A color derived from the actor. It is neither too pale nor too dark, so it stands out on a white canvas.
  static func standard(of actor: Identifier) -> Color {
    Color(hue: Double(actor.packed % 360) / 360, saturation: 0.7, brightness: 0.8)
  }
}
