import Basics
import CommandWords
import RoomLog

/// A command that reads or changes stored rooms without serving them, such as `SyncServer log verify --data DIR`.
struct LogCommand: Hashable, Sendable {
  enum Action: Hashable, Sendable {
    case verify
    /// - Parameter cutting: whether a damaged record and all records after it are dropped, if no snapshot replaces
    ///   them.
    case repair(room: String?, cutting: Bool)
    /// - Parameter copy: the path of the copy. The copy of a directory's log is a file. The copy of a database is a
    ///   directory.
    case backup(copy: String)
    /// - Parameter place: where the rooms are moved to.
    case move(place: Configuration.Storage, room: String?)

    /// Whether the command also accepts a file that `backup` has made, in place of a directory.
    var takesFile: Bool {
      switch self {
      case .verify, .backup: true
      case .repair, .move: false
      }
    }
  }

  /// The word that follows `log` on the command line.
  enum Verb: String, CaseIterable {
    case verify, backup, repair, move

    var summary: String {
      switch self {
      case .verify: "read all that is stored, and say what is damaged"
      case .backup: "copy all rooms to a place that is not there yet"
      case .repair: "drop damaged history where a newer snapshot holds the drawing"
      case .move: "carry rooms over to another place, with their history"
      }
    }

    var options: [Manual.Option] {
      let data = Manual.Option("--data", "PLACE", "where the rooms are: a directory, or the URL of a database")
      let room = Manual.Option("--room", "NAME", "this room only")
      let to = Manual.Option("--to", "PLACE", "where they go")
      switch self {
      case .verify: return [data]
      case .backup: return [data, to]
      case .repair: return [data, room, Manual.Option("--cut", nil, "drop also what no snapshot stands for")]
      case .move: return [Manual.Option("--from", "PLACE", data.words), to, room]
      }
    }
  }

  var action: Action
  /// Where the rooms are.
  var place: Configuration.Storage

  static let helpText = """
    SyncServer log: looks after stored rooms.

      SyncServer log verify --data DIRECTORY
          reads every record and snapshot, compares each snapshot with what the records add up to, and says what is
          damaged; changes nothing, and a server may go on; --data FILE verifies a backup

      SyncServer log backup --data DIRECTORY --to FILE
          copies all rooms, as of one moment, into a file that is not there yet; a server may go on

      SyncServer log repair --data DIRECTORY [--room NAME] [--cut]
          drops damaged history where a newer snapshot holds the drawing; with --cut also a damaged record that no
          snapshot stands for, and all that was written to that room after it; no server may be using the directory

      SyncServer log verify --data postgresql://…
      SyncServer log backup --data postgresql://… --to DIRECTORY
          the same for a database; the copy is a directory that is not there yet, which a server can serve, and each
          room in it is as it was when its turn came

      SyncServer log move --from PLACE --to PLACE [--room NAME]
          carries rooms over, with their history, between directories and databases, and compares what is there then; no
          server may be using such a directory, and nobody may write to such a room in a database meanwhile: lock it
          (docs/SCALING.md). The rooms also stay where they were

    CANVAS_DATA is as good as --data, for a URL with a password too.

    Exits with 0 when all is sound, copied or repaired, 1 when it is not, 64 for a command that can't be used.
    """
}

extension LogCommand {
  /// The parsed command line.
  enum Reading {
    case help
    case command(LogCommand)
  }

  /// Whether two places are the same directory, however they are written.
  private static func isSamePlace(_ one: String, _ other: String) -> Bool {
    one == other || resolvedPath(one).map { $0 == resolvedPath(other) } ?? false
  }

  /// - Parameter arguments: the arguments after `log`.
  static func read(_ arguments: ArraySlice<String>, environment: [String: String]) throws(ConfigurationError)
    -> Reading
  {
    var rest = arguments
    guard let verb = rest.popFirst() else {
      throw ConfigurationError(words: "log needs verify, repair, backup or move")
    }
    if ["--help", "-h", "help"].contains(verb) { return .help }
    guard let verb = Verb(rawValue: verb) else {
      throw ConfigurationError(words: "log \(verb): unknown command; use verify, repair, backup or move")
    }
    var values: [String: String] = [:]
    var cutting = false
    while let argument = rest.popFirst() {
      let halves = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      if argument == "--help" || argument == "-h" { return .help }
      guard let option = verb.options.first(where: { $0.name == halves[0] }) else {
        throw ConfigurationError(words: "log \(verb) \(halves[0]): unknown flag; see log --help")
      }
      if option.value == nil {
        guard halves.count == 1 else { throw ConfigurationError(words: "\(option.name) takes no value") }
        cutting = true
      } else {
        guard let value = halves.count == 2 ? halves[1] : rest.popFirst(), !value.isEmpty else {
          throw ConfigurationError(words: "\(halves[0]) needs a value")
        }
        if PostgresLog.isAddress(value), PostgresLog.hasPassword(value) {
          throw ConfigurationError(words: "\(halves[0]): \(Configuration.passwordIsSeen)")
        }
        guard values[halves[0]] == nil else { throw ConfigurationError(words: "\(halves[0]) is given twice") }
        try Configuration.check(place: value, of: halves[0])
        values[halves[0]] = value
      }
    }
    if let room = values["--room"], !RoomName.isValid(room) {
      throw ConfigurationError(words: "--room \(room): \(RoomName.words)")
    }
    // An environment variable can be empty.
    let given = environment["CANVAS_DATA"].flatMap { $0.isEmpty ? nil : $0 }
    guard let data = verb == .move ? values["--from"] : values["--data"] ?? given else {
      let flag = verb == .move ? "--from PLACE" : "--data DIRECTORY"
      throw ConfigurationError(words: "log \(verb) needs \(flag)")
    }
    try Configuration.check(place: data, of: "CANVAS_DATA")
    let place = Configuration.Storage(data)
    guard place != .memory else { throw ConfigurationError(words: "log \(verb): nothing is stored in memory") }
    if case .postgres = place, verb == .repair {
      throw ConfigurationError(
        words: "log repair is for directories; PostgreSQL has tools of its own (docs/SCALING.md)"
      )
    }
    let action: Action
    switch verb {
    case .verify: action = .verify
    case .repair:
      action = .repair(room: values["--room"], cutting: cutting)
    case .move:
      guard let to = values["--to"] else { throw ConfigurationError(words: "log move needs --to PLACE") }
      guard Configuration.Storage(to) != .memory, !isSamePlace(to, data) else {
        throw ConfigurationError(words: "--to \(to): the rooms need another place")
      }
      action = .move(place: Configuration.Storage(to), room: values["--room"])
    case .backup:
      guard let copy = values["--to"] else {
        throw ConfigurationError(words: "log backup needs --to FILE, or of a database --to DIRECTORY")
      }
      action = .backup(copy: copy)
    }
    return .command(LogCommand(action: action, place: place))
  }
}
