import Glibc
import Testing

/// Creates a database for each test, on the server that `scripts/with-postgres` has started.
enum TestDatabase {
  private static let server = getenv("TEST_POSTGRES").map { String(cString: $0) }
  static var isThere: Bool { server != nil }

  /// Creates a database.
  /// - Returns: its URL.
  static func make() throws -> String {
    let server = try #require(server, "run the tests by scripts/with-postgres")
    let name = "test_\(UInt64.random(in: 0...UInt64.max))"
    try ask("CREATE DATABASE \(name)")
    return "\(server)/\(name)"
  }

  static func drop(_ url: String) {
    guard let name = url.split(separator: "/").last else { return }
    _ = try? ask("DROP DATABASE IF EXISTS \(name) WITH (FORCE)")
  }

  /// Executes an SQL command in a database. Without `url`, uses the default database of the server.
  static func ask(_ command: String, in url: String? = nil) throws {
    try begin(command, in: url).end()
  }

  /// A command that is still running.
  struct Command {
    fileprivate let process: pid_t
    fileprivate let text: String

    func end() throws { try #require(succeeds(), "\(text)") }

    /// Waits until the command ends.
    /// - Returns: whether it succeeded.
    func succeeds() -> Bool {
      var status: Int32 = 0
      waitpid(process, &status, 0)
      return status == 0
    }
  }

  /// The first column of the command's result.
  static func rows(_ command: String, in url: String) throws -> [String] {
    let directory = temporaryDirectory()
    defer { remove(directory: directory) }
    let path = "\(directory)/rows"
    try begin(command, in: url, ["--tuples-only", "--no-align", "--output", path]).end()
    let file = try #require(fopen(path, "r"))
    defer { fclose(file) }
    var rows: [String] = []
    var line: UnsafeMutablePointer<CChar>?
    var size = 0
    defer { free(line) }
    while getline(&line, &size, file) > 0 {
      if let line { rows.append(String(String(cString: line).prefix { $0 != "\n" && $0 != "|" })) }
    }
    return rows
  }

  static func begin(_ command: String, in url: String? = nil, _ options: [String] = []) throws -> Command {
    let address = try #require(url ?? server.map { "\($0)/postgres" })
    // The timeout ends a command that would wait forever and block other tests.
    let commands = ["--command", "SET statement_timeout = '2min'", "--command", command]
    let words = ["psql", "--quiet", "--no-psqlrc", "--set", "ON_ERROR_STOP=1"] + options + commands + [address]
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    defer { posix_spawn_file_actions_destroy(&actions) }
    var process: pid_t = 0
    try #require(posix_spawnp(&process, "psql", &actions, nil, &arguments, environ) == 0, "psql could not be started")
    return Command(process: process, text: command)
  }
}
