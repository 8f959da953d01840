import CanvasCRDT

/// `peers`, `remove`, `lock` and `unlock`: what operators do.
enum Operators {
  static let commands = [peers, remove, lock, unlock]

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
    let bytes = try await ServerRequests(server: invocation.server).get(room.path("/peers"), of: room.text)
    let answer = JSONValue(bytes)
    let people = answer?["peers"]?.elements ?? []
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
    let actor = invocation.arguments.operands[1]
    guard Identifier(actor) != nil else {
      throw ClientFailure.usage("\(actor): an actor is given as k3j-9x2-m1p; `peers \(room.text)` lists them")
    }
    let requests = ServerRequests(server: invocation.server)
    _ = try await requests.send("DELETE", room.path("/peers/\(actor)"), of: room.text)
    invocation.output.write("\(actor) was removed from \(room.text)")
    return .success
  }

  private static let lock = Command(
    name: "lock",
    group: .operating,
    operands: [.one("ROOM")],
    summary: "let only operators write to a room",
    details: [tokenWords, "Others look on meanwhile. The lock outlasts restarts of the server."],
    examples: ["lock demo"]
  ) { invocation in try await set("PUT", "locked", invocation) }

  private static let unlock = Command(
    name: "unlock",
    group: .operating,
    operands: [.one("ROOM")],
    summary: "let editors write to a room again",
    details: [tokenWords],
    examples: ["unlock demo"]
  ) { invocation in try await set("DELETE", "unlocked", invocation) }

  @ClientLoop
  private static func set(_ method: String, _ word: String, _ invocation: Invocation) async throws -> ExitCode {
    let room = try invocation.room()
    _ = try await ServerRequests(server: invocation.server).send(method, room.path("/lock"), of: room.text)
    invocation.output.write("\(room.text) is \(word)")
    return .success
  }
}
