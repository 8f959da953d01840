import RoomLog

/// How the server was told to run: by flags, and where there is none by a variable of the environment.
struct Configuration: Hashable, Sendable {
  static let version = "0.1.0"

  enum Storage: Hashable, Sendable {
    /// Nothing outlives the process.
    case memory
    case directory(String)
  }

  var host = "127.0.0.1"
  var port = 8080
  var storage = Storage.directory(".data")
  var web = "build/page"
  var logLevel = Logger.Level.info
  var logFormat = Logger.Format.text
  /// The file of tokens; without it everyone may do everything.
  var tokens: String?
  /// Whose `X-Forwarded-For` is believed.
  var proxies = Proxies()
  /// Whether WebSocket messages are compressed for those who ask. It trades CPU for bytes.
  var compresses = false
  var limits = Limits()

  init() {}

  /// For how much history the log is asked.
  var retention: Retention { Retention(ageMillisecondsMax: limits.historyMilliseconds) }
}

/// A flag or a variable that can't be used: which, and why.
struct ConfigurationError: Error, Hashable, Sendable {
  let words: String
}
