import CommandWords

extension Manual {
  /// The manual of the server.
  static let server = Manual(
    program: "SyncServer",
    summary: "server for shared canvases over WebSockets and HTTP",
    synopsis: ["[--port 8080] [--data .data] …", "log verify|repair|backup|move …"],
    description: ["Serves rooms in which many people draw at once, and the page that they do it with.", variables],
    groups: serverGroups,
    optionsFollow: false,
    commands: [
      Command(
        "log",
        usage: "log verify|repair|backup|move",
        summary: "check, repair, copy and move stored rooms",
        options: []
      )
    ]
      + LogCommand.Verb.allCases.map { verb in
        let words = verb.options.map { $0.shown }.joined(separator: " ")
        return Command("log \(verb)", usage: "log \(verb) \(words)", summary: verb.summary, options: verb.options)
      },
    exitCodes: "0 stopped by a signal, or all is sound, copied or repaired; 1 can't run, or it is not; 64 bad flag."
  )
}
