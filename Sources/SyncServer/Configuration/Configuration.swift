import RoomLog

/// The server's settings. Each comes from a flag, otherwise from an environment variable, otherwise from its default.
struct Configuration: Hashable, Sendable {
  enum Storage: Hashable, Sendable, CustomStringConvertible {
    /// A log in memory: all rooms are lost when the process ends.
    case memory
    case directory(String)
    /// A database that several nodes share, by its URL.
    case postgres(String)

    /// - Parameter place: a directory, `memory`, or a database's URL.
    init(_ place: String) {
      switch place {
      case "memory": self = .memory
      case _ where PostgresLog.isAddress(place): self = .postgres(place)
      default: self = .directory(place)
      }
    }

    /// The place in words, without a password.
    var description: String {
      switch self {
      case .memory: "memory"
      case .directory(let directory): directory
      case .postgres(let url): PostgresLog.name(of: url)
      }
    }
  }

  var host = "127.0.0.1"
  var port = 8080
  var storage = Storage.directory(".data")
  var web = "build/page"
  var logLevel = Logger.Level.info
  var logFormat = Logger.Format.text
  /// The path of the file of tokens. Without tokens and signing keys, everyone may do everything.
  var tokens: String?
  /// The file or directory with the keys of signed tokens. `tokenTerms` says what the server requires of such tokens.
  var signingKeys: String?
  var tokenTerms = SignedClaims.Terms()
  /// Whether to listen on addresses other than loopback without asking for tokens.
  var isOpen = false
  /// The file of the audit log.
  var audit: String?
  /// The proxies whose `X-Forwarded-For` is believed.
  var proxies = Proxies()
  /// The names of the server, and the sites whose pages may use it.
  var sites = Sites()
  var limits = Limits()
  /// Warnings about the environment variables. The server runs in spite of them.
  var complaints: [String] = []

  init() {}

  /// The message that refuses a database's URL with a password on the command line.
  static let passwordIsSeen =
    "everyone on this machine can read a password there; give it as PGPASSWORD, in a password file, or in CANVAS_DATA"

  /// Refuses a value of `--data` that looks like a database's address but is not a valid one. The message leaves the
  /// value out, because it can contain a password.
  /// - Parameter name: the flag or the variable that had this value.
  static func check(place: String, of name: String) throws(ConfigurationError) {
    if let mistake = PostgresLog.mistake(in: place) { throw ConfigurationError(words: "\(name): \(mistake)") }
  }

  var asksForTokens: Bool { tokens != nil || signingKeys != nil }

  /// The server's URL, as it is typed into a browser.
  func address(port: Int) -> String { "http://\(host.contains(":") ? "[\(host)]" : host):\(port)" }

  /// How much history the log is asked to keep.
  var retention: Retention { Retention(ageMillisecondsMax: limits.historyMilliseconds) }
}

/// A flag or a variable that can't be used, and why.
struct ConfigurationError: Error, Hashable, Sendable {
  let words: String
}
