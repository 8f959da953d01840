/// The address of a database: a URL in libpq's form (postgresql.org/docs/15/libpq-connect.html#LIBPQ-CONNSTRING).
///
/// libpq reads the URL itself. This type reads only the hosts, so that each host can be tried alone, for one second.
/// libpq has no such limit while it looks up a name, or while a host accepts a connection and then stays silent.
struct PostgresAddress: Hashable, Sendable {
  struct Host: Hashable, Sendable {
    var name: String
    var port: String
    /// The host's numeric address, if the URL has one beside the name (`hostaddr`).
    var address: String?
  }

  let url: String
  /// The hosts from the URL or from libpq's defaults. Empty if neither names one: libpq then uses its standard socket
  /// or a service file. If there are several hosts, each has a port.
  let hosts: [Host]
  /// Whether the URL contains the user's password.
  let hasPassword: Bool
  private let database: String

  static func isOne(_ text: String) -> Bool { text.hasPrefix("postgresql://") || text.hasPrefix("postgres://") }

  /// Why a text that looks like a database URL is not valid. `nil` if it is valid, or doesn't look like one. The
  /// message doesn't repeat the text, which can contain a password.
  static func mistake(in text: String) -> String? {
    guard !isOne(text) else { return nil }
    let words = text.lowercased()
    // libpq also accepts the form `host=… user=…`.
    let first = words.drop { !$0.isLetter }.prefix { $0 != "=" }
    let isList =
      words.contains("=") && ["host", "hostaddr", "port", "dbname", "user", "service"].contains(String(first))
    let scheme = words.prefix { $0.isLetter }
    let isMistyped = ["postgres", "postgresql"].contains(scheme) && words.contains { ":@".contains($0) }
    guard words.contains("://") || words.contains("password=") || isList || isMistyped else { return nil }
    return "a database's address begins with postgresql://, in small letters and with nothing before it"
  }

  /// Why libpq couldn't read the URL, or would never stop trying it. `nil` if the URL is fine. The message repeats no
  /// values, because a value can be a password.
  /// - Parameter parameters: the names of libpq's parameters.
  func mistake(parameters: Set<String>) -> String? {
    let rest = url.drop { $0 != "/" }.dropFirst(2)
    let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    var ports: [String] = []
    for pair in parts.dropFirst().first?.split(separator: "&") ?? [] {
      let name = pair.prefix { $0 != "=" }
      // libpq also accepts `ssl`, JDBC's name, but doesn't list it.
      guard parameters.contains(String(name)) || name == "ssl" else { return "there is no parameter \(name)" }
      guard pair.contains("=") else { return "the parameter \(name) has no value" }
      guard PostgresAddress.isEncoded(pair) else { return PostgresAddress.percent(in: "the parameter \(name)") }
      if name == "port" {
        ports += PostgresAddress.decoded(pair.drop { $0 != "=" }.dropFirst()).split(separator: ",").map(String.init)
      }
    }
    if let authority = parts.first, !PostgresAddress.isEncoded(authority) {
      return PostgresAddress.percent(in: "what comes before the parameters")
    }
    for port in hosts.map(\.port) + ports where !port.isEmpty {
      guard let number = UInt16(port), number > 0 else { return "the port is a number from 1 to 65535" }
    }
    return nil
  }

  private static func percent(in place: String) -> String {
    "in \(place) a % isn't followed by two hexadecimal digits; for the character itself write %25"
  }

  /// Whether each `%` is followed by two hexadecimal digits other than `00`.
  private static func isEncoded(_ text: Substring) -> Bool {
    text.split(separator: "%", omittingEmptySubsequences: false).dropFirst().allSatisfy { part in
      let digits = part.utf8.prefix(2)
      return digits.count == 2 && UInt8(String(decoding: digits, as: UTF8.self), radix: 16) ?? 0 != 0
    }
  }

  /// - Parameter defaults: libpq's values for parameters that the URL leaves out.
  init(_ url: String, defaults: [String: String] = [:]) {
    self.url = url
    let rest = url.drop { $0 != "/" }.dropFirst(2)
    let authority = rest.prefix { $0 != "/" && $0 != "?" }
    let query = rest.firstIndex(of: "?").map { rest[rest.index(after: $0)...] } ?? ""
    let path = rest.dropFirst(authority.count).prefix { $0 != "?" }.drop { $0 == "/" }
    var values: [Substring: String] = [:]
    for pair in query.split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1)
      if parts.count == 2 { values[parts[0]] = PostgresAddress.decoded(parts[1]) }
    }
    var hosts: [Host] = []
    let at = authority.lastIndex(of: "@")
    let named = at.map { authority[authority.index(after: $0)...] } ?? authority
    hasPassword = at.map { authority[..<$0].contains(":") } ?? false || values["password"] != nil
    for part in named.split(separator: ",") {
      // An IPv6 address stands in brackets. Its colons don't begin a port.
      let end = part.lastIndex(of: "]") ?? part.startIndex
      let colon = part[end...].lastIndex(of: ":")
      let name = part[..<(colon ?? part.endIndex)].filter { $0 != "[" && $0 != "]" }
      hosts.append(
        Host(name: PostgresAddress.decoded(name[...]), port: colon.map { String(part[part.index(after: $0)...]) } ?? "")
      )
    }
    if let names = values["host"] {
      hosts = PostgresAddress.hosts(names, ports: values["port"] ?? "")
    }
    var addresses = values["hostaddr"]
    // The defaults are not used with a service file, because the file would override them.
    if hosts.allSatisfy(\.name.isEmpty), values["service"] == nil, let names = defaults["host"] {
      let port = values["port"] ?? hosts.first?.port ?? ""
      hosts = PostgresAddress.hosts(names, ports: port.isEmpty ? defaults["port"] ?? "" : port)
      addresses = addresses ?? defaults["hostaddr"]
    }
    if hosts.count > 1 {
      // Each host is tried alone, so each needs a port of its own. A host without a port gets the default.
      for index in hosts.indices where hosts[index].port.isEmpty { hosts[index].port = defaults["port"] ?? "5432" }
    }
    if let addresses = addresses?.split(separator: ",", omittingEmptySubsequences: false) {
      for (index, address) in addresses.enumerated() where index < hosts.count && !address.isEmpty {
        hosts[index].address = String(address)
      }
    }
    self.hosts = hosts
    database = values["dbname"] ?? PostgresAddress.decoded(path)
  }

  /// The address for messages to the operator, without the password.
  var description: String {
    let shown = hosts.map { $0.port.isEmpty ? $0.name : "\($0.name):\($0.port)" }.joined(separator: ",")
    return "PostgreSQL \(shown.isEmpty ? "" : "at \(shown), ")database \(database.isEmpty ? "of the user" : database)"
  }

  /// Turns libpq's message about a failed connection into a fault.
  func fault(_ words: String, needsPassword: Bool) -> StorageFault {
    if needsPassword || words.contains("authentication failed") || words.contains("no password supplied") {
      return .unfit("\(description) refuses the user or the password; set PGPASSWORD or a password file (\(words))")
    }
    if words.contains("does not exist"), words.contains("database") || words.contains("role") {
      return .unfit("\(description): \(words); create it, or name another in --data")
    }
    if PostgresAddress.crowded.contains(where: words.contains) {
      return .database("\(description) has no connection left; raise max_connections (\(words))")
    }
    return .database("\(description): \(words)")
  }

  /// Turns the database's refusal of a statement into a fault.
  func fault(state: String, message: String) -> StorageFault {
    switch state {
    case "25006": return .database("\(description) takes no writes now: \(message)")
    case "53100": return .database("\(description): the database's disk is full; free some space there (\(message))")
    case "53300": return .database("\(description) has no connection left; raise max_connections (\(message))")
    case PostgresFailure.lockTimeout: return lockFault
    case "42501":
      return .unfit("\(description): \(message); GRANT CREATE ON DATABASE, or create the schema canvas for this user")
    // SQLSTATE class 42: the database doesn't know the statement, or its tables aren't those that this server expects.
    case _ where state.hasPrefix("42"): return .unfit("\(description): \(message) (SQLSTATE \(state))")
    default: return .database("\(description): \(message) (SQLSTATE \(state))")
    }
  }

  /// The fault of rows that can't be written because of somebody's lock.
  var lockFault: StorageFault {
    .database("\(description): another transaction keeps rows locked; pg_locks shows whose")
  }

  /// Parts of PostgreSQL's messages that mean that it accepts no more connections.
  private static let crowded = ["too many clients", "connection slots are reserved", "too many connections"]

  private static func hosts(_ names: String, ports: String) -> [Host] {
    let ports = ports.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    return names.split(separator: ",").enumerated().map { index, name in
      Host(name: String(name), port: index < ports.count ? ports[index] : ports.last ?? "")
    }
  }

  private static func decoded(_ text: Substring) -> String {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), rest.count >= 2,
        let code = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
      {
        bytes.append(code)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
