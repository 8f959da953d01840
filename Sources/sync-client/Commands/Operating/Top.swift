/// The command `top`, which shows a server's rooms and keeps them up to date.
enum Top {
  static let command = Command(
    name: "top",
    group: .operating,
    summary: "all rooms, live: shapes, peers, operations a second, and the server's figures",
    details: [
      "Full screen. Up and down choose a room and Enter opens it; leaving the room comes back here. n, s, p, o and t "
        + "sort by name, shapes, peers, operations a second and operations in total. Lag is how long operations took "
        + "from their arrival at the server until they were sent to everyone.",
      "/ filters by name. w shows who is in the room: there x removes a person, and l locks the room or unlocks it. The small "
        + "columns beside operations a second are the last readings.",
      "Needs a terminal. In scripts, use rooms.",
    ],
    options: [
      Option("--every", "TIME", "how often to refresh (default: 1s)"),
      Option("--light", nil, "for a light terminal, where the background can't be detected"),
    ],
    examples: ["top", "top --every 5s"]
  ) { invocation in
    let every = try invocation.arguments.milliseconds("--every") ?? 1_000
    guard (100...3_600_000).contains(every) else {
      throw ClientFailure.usage("--every: must be a time from 100ms to 1h")
    }
    try ScreenHost.needsTerminal(invocation, or: "rooms lists all rooms once")
    let host = ScreenHost()
    let table = RoomsTable(invocation, host: host, intervalMilliseconds: every)
    try await table.begin()
    try host.open()
    defer { host.close() }
    while true {
      try await host.run(table)
      table.stop()
      switch table.choice {
      case .leave: return .success
      case .open(let room):
        do {
          try await Join.run(try RoomName(room), invocation, host: host)
        } catch let failure as ClientFailure {
          if host.isLost { throw failure }
          table.refuse(failure)
        }
      case .people(let room):
        let people = PeopleTable(invocation, try RoomName(room), host: host)
        await people.begin()
        try await host.run(people)
        people.stop()
      }
      table.goOn()
    }
  }
}
