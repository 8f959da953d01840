/// A setting that is not a limit: how it is written, and what it changes in a configuration.
struct Option: Sendable {
  let name: String
  /// The placeholder for the value in `--help`. `nil` for a switch.
  let value: String?
  let words: String
  let standard: String?
  /// Applies a value to the configuration.
  /// - Returns: what is wrong with the value. `nil` if it was applied.
  let apply: @Sendable (String, inout Configuration) -> String?

  var variable: String { LimitFlag.variable(of: name) }

  static let all: [Option] = [
    Option(
      name: "--host",
      value: "ADDRESS",
      words: "address to listen on; 0.0.0.0 or :: for all",
      standard: "127.0.0.1"
    ) {
      guard !$0.isEmpty else { return "needs a name or an address" }
      $1.host = $0
      return nil
    },
    Option(
      name: "--port",
      value: "NUMBER",
      words: "port to listen on; 0 picks a free one and logs it",
      standard: "8080"
    ) {
      guard let port = Int($0), (0...65_535).contains(port) else { return "must be a whole number from 0 to 65535" }
      $1.port = port
      return nil
    },
    Option(
      name: "--data",
      value: "PLACE",
      words: "where rooms are: a directory or postgresql://…; `memory` stores nothing",
      standard: ".data"
    ) {
      guard !$0.isEmpty else { return "needs a directory, the URL of a database, or memory" }
      $1.storage = Configuration.Storage($0)
      return nil
    },
    Option(name: "--web", value: "DIRECTORY", words: "the page's files", standard: "build/page") {
      guard !$0.isEmpty else { return "needs a directory" }
      $1.web = $0
      return nil
    },
    text(
      "--tokens",
      value: "FILE",
      words: "lines `TOKEN viewer|editor|operator ROOM…`: who may connect",
      standard: "this machine",
      needs: "a file",
      \.tokens
    ),
    text(
      "--jwt-keys",
      value: "PATH",
      words: "key, or directory of keys KID.pem, by which JSON Web Tokens are checked",
      standard: "none",
      needs: "a file or a directory",
      \.signingKeys
    ),
    text(
      "--jwt-audience",
      value: "NAME",
      words: "the `aud` that JSON Web Tokens must have",
      standard: "none",
      needs: "a name",
      \.tokenTerms.audience
    ),
    Option(
      name: "--jwt-leeway",
      value: "SECONDS",
      words: "how far the signer's clock may be off",
      standard: "60"
    ) {
      guard let seconds = UInt64($0), seconds <= 3_600 else { return "must be a whole number from 0 to 3600" }
      $1.tokenTerms.leewaySeconds = seconds
      return nil
    },
    flag("--open", words: "without tokens, listen on --host all the same, and let everyone do everything", \.isOpen),
    text(
      "--audit",
      value: "FILE",
      words: "log of entries, refusals, deletions, locks and removals, as JSON lines",
      standard: "none",
      needs: "a file",
      \.audit
    ),
    Option(name: "--log-level", value: "LEVEL", words: "error, warning, info or debug", standard: "info") {
      guard let level = Logger.Level($0) else { return "must be error, warning, info or debug" }
      $1.logLevel = level
      return nil
    },
    Option(name: "--log-format", value: "FORMAT", words: "text, or json: one object a line", standard: "text") {
      guard let format = Logger.Format(rawValue: $0) else { return "must be text or json" }
      $1.logFormat = format
      return nil
    },
    Option(
      name: "--proxies",
      value: "ADDRESSES",
      words: "proxies whose X-Forwarded-For is trusted: 127.0.0.1,10.0.0.0/8",
      standard: "none"
    ) {
      guard let proxies = Proxies($0) else { return "must be numeric addresses, or ranges such as 10.0.0.0/8" }
      $1.proxies = proxies
      return nil
    },
    Option(
      name: "--hosts",
      value: "NAMES",
      words: "names of this server besides localhost: canvas.example.com,…; * for any",
      standard: "none"
    ) {
      $1.sites.setHosts($0) ? nil : "must be names such as canvas.example.com, with commas between them, or *"
    },
    Option(
      name: "--origins",
      value: "SITES",
      words: "other sites whose pages may use it: https://example.com,…; * for any",
      standard: "none"
    ) {
      $1.sites.setOrigins($0) ? nil : "must be sites such as https://example.com, with commas between them, or *"
    },
  ]

  /// A setting whose value may be any text except the empty one.
  private static func text(
    _ name: String,
    value: String,
    words: String,
    standard: String,
    needs: String,
    _ setting: WritableKeyPath<Configuration, String?> & Sendable
  ) -> Option {
    Option(name: name, value: value, words: words, standard: standard) {
      guard !$0.isEmpty else { return "needs \(needs)" }
      $1[keyPath: setting] = $0
      return nil
    }
  }

  private static func flag(
    _ name: String,
    words: String,
    _ setting: WritableKeyPath<Configuration, Bool> & Sendable
  ) -> Option {
    Option(name: name, value: nil, words: words, standard: nil) {
      guard let flag = truth($0) else { return "must be true or false" }
      $1[keyPath: setting] = flag
      return nil
    }
  }

  private static func truth(_ text: String) -> Bool? {
    switch text {
    case "true", "1", "yes", "on": true
    case "false", "0", "no", "off", "": false
    default: nil
    }
  }
}

extension LimitFlag {
  /// Applies a value to the configuration.
  /// - Returns: what is wrong with the value. `nil` if it was applied.
  func apply(_ text: String, _ configuration: inout Configuration) -> String? {
    guard let value = UInt64(text), range.contains(value) else {
      return "must be a whole number from \(range.lowerBound) to \(range.upperBound)"
    }
    configuration.limits[keyPath: limit] = value
    return nil
  }
}
