import WebSocketLoop

/// The names under which this server is known, and the sites whose pages may use it.
///
/// A page can make a browser send requests to any server, even to one that only this machine can reach. So two headers
/// are checked, which no page can forge:
/// - `Origin` tells which site the page is from. Without this check, any page that somebody opens could write to
///   their server.
/// - `Host` tells under which name the browser found the server. Without the check, a site could point its own name at
///   this server's address (DNS rebinding): its page would then have the server's own origin.
///
/// A program that isn't a browser sends no `Origin`, and could write any header. The checks are not meant for programs.
struct Sites: Hashable, Sendable {
  /// The names given with `--hosts`, each with its port if it has one. `nil` if any name is accepted.
  private var hosts: [Authority]? = []
  /// Sites given with `--origins`. `nil` if pages of any site are let in.
  private var origins: [Origin]? = []
  /// The host name of the machine, and the host that the server listens on.
  private var own: Set<String> = []

  init() {}

  // MARK: Settings

  /// Reads `canvas.example.com,canvas.example.org`, or `*` for any name.
  mutating func setHosts(_ text: String) -> Bool {
    guard text != "*" else {
      hosts = nil
      return true
    }
    guard let list = Sites.list(text, Authority.init) else { return false }
    hosts = list
    return true
  }

  /// Reads `https://example.com,http://localhost:3000`, or `*` for any site.
  mutating func setOrigins(_ text: String) -> Bool {
    guard text != "*" else {
      origins = nil
      return true
    }
    guard let list = Sites.list(text, Origin.init) else { return false }
    origins = list
    return true
  }

  /// - Parameter names: the name of the machine, and the value of `--host`.
  mutating func addOwn(_ names: [String]) { own.formUnion(names.compactMap { Authority($0)?.host }) }

  private static func list<Entry>(_ text: String, _ read: (String) -> Entry?) -> [Entry]? {
    var entries: [Entry] = []
    // An empty text stands for an empty list, because an environment variable can be empty.
    for part in text.split(separator: ",", omittingEmptySubsequences: text.isEmpty) {
      let words = part.split(separator: " ")
      guard words.count == 1, let entry = read(String(words[0])) else { return nil }
      entries.append(entry)
    }
    return entries
  }

  // MARK: Requests

  /// Why a request isn't served.
  enum Fault: Hashable, Sendable {
    case unknownHost(String)
    case foreignOrigin(String)

    var words: String {
      switch self {
      case .unknownHost(let host):
        "this server is not known as \(host); if that is its name, start it with --hosts \(host)"
      case .foreignOrigin(let origin):
        "pages of \(origin) may not use this server; if they should, start it with --origins \(origin)"
      }
    }
  }

  /// What is wrong with a request's `Host`. A request of HTTP/1.0 may have no `Host`; no browser sends such requests.
  func fault(ofHostOf request: Request) -> Fault? {
    guard let text = request.header("host"), let hosts else { return nil }
    guard let host = Authority(text) else { return .unknownHost(text) }
    if host.isAddress || host.isLoopback || own.contains(host.host) { return nil }
    return hosts.contains { $0.host == host.host } ? nil : .unknownHost(host.host)
  }

  /// What is wrong with a request's `Origin`. A request without an `Origin` does no harm. Either no page sent the
  /// request, or the request changes nothing and the browser hides the answer from the page.
  func fault(ofOriginOf request: Request) -> Fault? {
    guard let text = request.header("origin"), let origins else { return nil }
    guard let origin = Origin(text) else { return .foreignOrigin(text) }
    if origins.contains(origin) { return nil }
    let port = origin.authority.port
    if let host = request.header("host").flatMap(Authority.init), port == host.port ?? origin.standardPort {
      if origin.authority.host == host.host { return nil }
      // `localhost:8080` and `127.0.0.1:8080` are the same server, although the names differ.
      if origin.authority.isLoopback, host.isLoopback { return nil }
    }
    // Behind a proxy, `Host` may be a name that the proxy chose, so it can differ from the page's origin. Then the
    // origin's name has to be among `--hosts`.
    let isNamed = (hosts ?? []).contains {
      $0.host == origin.authority.host && port == $0.port ?? origin.standardPort
    }
    return isNamed ? nil : .foreignOrigin(text)
  }

  func fault(of request: Request) -> Fault? { fault(ofHostOf: request) ?? fault(ofOriginOf: request) }
}

/// A name or an address, with or without a port: `canvas.example.com`, `127.0.0.1:8080`, `[::1]:8080`.
private struct Authority: Hashable, Sendable {
  /// The name in lower case, without brackets and without the dot that may end a name.
  let host: String
  let port: Int?

  init?(_ text: some StringProtocol) {
    let text = text.lowercased()
    var name = text[...]
    var digits: Substring?
    if text.hasPrefix("[") {
      guard let end = text.firstIndex(of: "]") else { return nil }
      name = text[text.index(after: text.startIndex)..<end]
      let rest = text[text.index(after: end)...]
      guard rest.isEmpty || rest.hasPrefix(":") else { return nil }
      digits = rest.isEmpty ? nil : rest.dropFirst()
      guard name.contains(":"), NetworkAddress(String(name)) != nil else { return nil }
    } else if NetworkAddress(text) == nil, let colon = text.lastIndex(of: ":") {
      name = text[..<colon]
      digits = text[text.index(after: colon)...]
    }
    // An empty port is the standard one (RFC 3986, 3.2.3).
    if let digits, !digits.isEmpty {
      guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(digits),
        number <= 65_535
      else {
        return nil
      }
      port = number
    } else {
      port = nil
    }
    if name.hasSuffix(".") { name = name.dropLast() }
    guard !name.isEmpty, name.utf8.allSatisfy(Authority.isNameByte) else { return nil }
    host = String(name)
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."),
      UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: ":"):
      true
    default: false
    }
  }

  /// Whether the host is a numeric address. A site can make its own name point to another machine, but it can't do that
  /// with an address. So a page that was loaded from an address came from the machine with that address.
  var isAddress: Bool { NetworkAddress(host) != nil }

  var isLoopback: Bool { host == "localhost" || NetworkAddress(host)?.isLoopback == true }
}

/// Where a page came from, as browsers write it: `https://canvas.example.com`, `http://localhost:3000`.
private struct Origin: Hashable, Sendable {
  let isSecure: Bool
  /// The site's host and port. The port is the scheme's standard port if the text has none.
  let authority: Authority

  var standardPort: Int { isSecure ? 443 : 80 }

  /// Browsers send `null` for a file or a page in a sandbox. It is not an origin.
  init?(_ text: some StringProtocol) {
    let halves = text.lowercased().split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
    guard halves.count == 2, halves[0] == "http" || halves[0] == "https", let authority = Authority(halves[1]) else {
      return nil
    }
    isSecure = halves[0] == "https"
    self.authority = authority.port == nil ? authority.on(port: isSecure ? 443 : 80) : authority
  }
}

extension Authority {
  private init(host: String, port: Int) {
    self.host = host
    self.port = port
  }

  fileprivate func on(port: Int) -> Authority { Authority(host: host, port: port) }
}
