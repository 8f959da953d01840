import CanvasCRDT

/// The commands for operators: `peers`, `remove`, `lock`, `unlock`, `takeback` and `forget`.
enum Operators {
  static let commands = [peers, remove, lock, unlock, takeBack, forget]

  private static let tokenWords = "Needs an operator's token, if the server asks for tokens."

  private static let peers = Command(
    name: "peers",
    group: .operating,
    operands: [.one("ROOM")],
    summary: "list who is in a room",
    details: [tokenWords],
    examples: ["peers demo", "peers demo --json | jq -r .actor"]
  ) { invocation in
    let room = try invocation.room()
    let requests = ServerRequests(server: invocation.server, tell: invocation.tell)
    let answer = JSONValue(try await requests.get(room.path("/peers"), of: room.text))
    let people = try requests.list("peers", in: answer)
    if invocation.isJSON {
      for person in people {
        invocation.output.write { line in
          for key in ["actor", "name", "color", "role", "token", "address"] as [StaticString] {
            if let text = person["\(key)"]?.text { line.member(key, text) }
          }
        }
      }
      return .success
    }
    var table = Table([
      .init(heading: "actor"), .init(heading: "name", widthMax: 40), .init(heading: "role"),
      .init(heading: "token", widthMax: 40), .init(heading: "address"),
    ])
    for person in people {
      table.add(["actor", "name", "role", "token", "address"].map { .init(person[$0]?.text ?? "") })
    }
    if !people.isEmpty { for line in table.lines(for: invocation.output) { invocation.output.write(line) } }
    let isLocked = answer?["locked"]?.isTrue == true
    let count = people.count == 1 ? "1 person" : "\(people.count) people"
    invocation.output.write("\(room.text): \(count)\(isLocked ? "; the room is locked" : "")")
    return .success
  }

  private static let remove = Command(
    name: "remove",
    group: .operating,
    operands: [.one("ROOM"), .one("ACTOR")],
    summary: "close a person's connection to a room",
    details: [
      tokenWords,
      "The person may come back with the same token. Take the token out of the server's file, or lock the room, to "
        + "prevent that.",
    ],
    examples: ["remove demo k3j-9x2-m1p"]
  ) { invocation in
    let room = try invocation.room()
    let actor = try actor(invocation, room)
    let requests = ServerRequests(server: invocation.server)
    try await requests.order("DELETE", room.path("/peers/\(actor)"), of: room.text)
    tell(invocation, room, "\(actor) was removed from \(room.text)") { line in line.member("removed", actor) }
    return .success
  }

  private static let takeBack = Command(
    name: "takeback",
    group: .operating,
    operands: [.one("ROOM"), .one("ACTOR")],
    summary: "take back all that one person wrote",
    details: [
      tokenWords,
      "Values that others have written since stay. What the person wrote is replaced by new edits, so it can still be seen in "
        + "the history. This reaches as far back as the history does; of what is older, only shapes that the person made are "
        + "deleted. Remove the person first, or lock the room.",
    ],
    examples: ["takeback demo k3j-9x2-m1p"]
  ) { invocation in
    let room = try invocation.room()
    let actor = try actor(invocation, room)
    let requests = ServerRequests(server: invocation.server)
    let answer = try await requests.send("DELETE", room.path("/writing/\(actor)"), of: room.text)
    let shapes = try requests.list("shapes", in: JSONValue(answer.body)).compactMap(\.text)
    let these = shapes.count == 1 ? "1 shape is" : "\(shapes.count) shapes are"
    tell(invocation, room, "\(these) as without \(actor) in \(room.text)") { line in
      line.member("takenBack", actor)
      line.key("shapes")
      line.beginArray()
      for shape in shapes { line.value(text: Text(shape)) }
      line.endArray()
    }
    return .success
  }

  private static let forget = Command(
    name: "forget",
    group: .operating,
    operands: [.one("ROOM")],
    summary: "have a room forget which shapes were deleted",
    details: [
      tokenWords,
      "A room remembers deletions, so that a late edit doesn't bring a deleted shape back. Somebody may have filled that "
        + "memory. Edits that were made before now and have not arrived yet are refused afterwards.",
    ],
    examples: ["forget demo"]
  ) { invocation in
    let room = try invocation.room()
    let requests = ServerRequests(server: invocation.server)
    try await requests.order("DELETE", room.path("/erasures"), of: room.text)
    tell(invocation, room, "\(room.text) has forgotten what was deleted") { line in line.member("forgotten", true) }
    return .success
  }

  private static func actor(_ invocation: Invocation, _ room: RoomName) throws(ClientFailure) -> String {
    let actor = invocation.arguments.operands[1]
    guard Identifier(actor) != nil else {
      throw .usage("\(actor): an actor is given as k3j-9x2-m1p; `peers \(room.text)` lists them")
    }
    return actor
  }

  private static let lock = Command(
    name: "lock",
    group: .operating,
    operands: [.one("ROOM")],
    summary: "let only operators write to a room",
    details: [tokenWords, "Others look on meanwhile. The lock outlasts restarts of the server."],
    examples: ["lock demo"]
  ) { invocation in try await lock(true, invocation) }

  private static let unlock = Command(
    name: "unlock",
    group: .operating,
    operands: [.one("ROOM")],
    summary: "let editors write to a room again",
    details: [tokenWords],
    examples: ["unlock demo"]
  ) { invocation in try await lock(false, invocation) }

  @ClientLoop
  private static func lock(_ locks: Bool, _ invocation: Invocation) async throws -> ExitCode {
    let room = try invocation.room()
    let requests = ServerRequests(server: invocation.server)
    try await requests.order(locks ? "PUT" : "DELETE", room.path("/lock"), of: room.text)
    tell(invocation, room, "\(room.text) is \(locks ? "locked" : "unlocked")") { line in line.member("locked", locks) }
    if locks, await isOpenToAll(invocation.server) {
      invocation.output.notice("no_tokens", "this server asks for no tokens, so everyone may still write there")
    }
    return .success
  }

  /// Prints what was done in a room. With `--json` it is an object with the room and what `members` writes.
  private static func tell(
    _ invocation: Invocation,
    _ room: RoomName,
    _ words: String,
    _ members: (inout JSONWriter) -> Void
  ) {
    guard invocation.isJSON else { return invocation.output.write(words) }
    invocation.output.write { line in
      line.member("room", room.text)
      members(&line)
    }
  }

  /// Whether clients without a token count as operators on this server.
  @ClientLoop
  private static func isOpenToAll(_ server: ServerAddress) async -> Bool {
    var open = server
    open.token = .none
    return (try? await ServerRequests(server: open).get("/v1/rooms")) != nil
  }
}
