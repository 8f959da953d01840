import Testing
import WebSocketLoop

@testable import SyncServer

private let lan = "192.168.1.5"
private let machine = "atelier"

@Suite("Sites") struct SitesTests {
  private func sites(hosts: String = "", origins: String = "") throws -> Sites {
    var sites = Sites()
    let areTaken = sites.setHosts(hosts) && sites.setOrigins(origins)
    try #require(areTaken)
    sites.addOwn(["atelier", "192.0.2.7"])
    return sites
  }

  private func request(host: String?, origin: String? = nil) -> Request {
    let headers = [("host", host), ("origin", origin)].compactMap { name, value in value.map { (name: name, value: $0) }
    }
    return Request(path: "/", headers: headers)
  }

  @Test(
    "C8: It answers to loopback, to addresses, to its own names and to those it was given",
    arguments: [
      "localhost", "LOCALHOST:8080", "localhost.:8080", "localhost:", "[::1]:", "canvas.example.com:", "127.0.0.1",
      "127.5.5.5:1", "[::1]:8080", "192.168.1.5:8080",
      "[2001:db8::1]", "atelier:8080", "localhost:0", "localhost:65535", "canvas-2.example_9.com", "Canvas.Example.com",
      "canvas.example.com.:8443",
    ]
  )
  func known(host: String) throws {
    #expect(
      try sites(hosts: "canvas.example.com, other.example, canvas-2.example_9.com").fault(of: request(host: host))
        == nil
    )
  }

  @Test(
    "C8: It answers to no other name",
    arguments: [
      "evil.test", "evil.test:8080", "localhost.evil.test", "127.0.0.1.evil.test", "atelier.evil.test", "", ":8080",
      "[::1",
      "[evil]:80", "localhost:65536", "localhost:-1", ":", "localhost::", "a b", "x.canvas.example.com",
      "localhost, evil.test",
      "canvas.example.com@evil.test",
    ]
  )
  func unknown(host: String) throws {
    let sites = try sites(hosts: "canvas.example.com")
    guard case .unknownHost = sites.fault(of: request(host: host)) else {
      Issue.record("\(host) is taken")
      return
    }
  }

  @Test("A request of HTTP/1.0 may have no name, and `*` turns the check off") func noName() throws {
    #expect(try sites().fault(of: request(host: nil)) == nil)
    #expect(try sites(hosts: "*").fault(of: request(host: "evil.test")) == nil)
  }

  @Test(
    "C8: Its own pages and those of named sites may use it",
    arguments: [
      ("localhost:8080", "http://localhost:8080"), ("localhost:8080", "http://127.0.0.1:8080"),
      ("[::1]:8080", "http://localhost:8080"), ("192.168.1.5", "http://\(lan)"), ("atelier", "https://\(machine)"),
      ("canvas.example.com", "https://canvas.example.com"), ("canvas.example.com", "https://canvas.example.com:443"),
      ("canvas.example.com:443", "https://canvas.example.com"), ("127.0.0.1:8080", "https://canvas.example.com"),
      ("127.0.0.1:8080", "https://ported.example:8443"), ("localhost", "https://www.example.com"),
      ("localhost", "http://localhost:3000"), ("localhost:", "http://localhost"),
    ]
  )
  func own(host: String, origin: String) throws {
    let sites = try sites(
      hosts: "canvas.example.com,ported.example:8443",
      origins: "https://www.example.com,http://localhost:3000"
    )
    #expect(sites.fault(of: request(host: host, origin: origin)) == nil)
  }

  @Test(
    "C8: Pages of other sites may not",
    arguments: [
      "https://evil.test", "http://localhost:3000", "http://127.0.0.1:1", "http://\(lan):8080", "null", "",
      "file://",
      "http://localhost", "http://localhost:8080.evil.test", "http://evil.test:8080", "https://canvas.example.com:8443",
      "ftp://localhost:8080", "http://localhost:8080/path", "http://localhost:8080, http://localhost:8080",
    ]
  )
  func foreign(origin: String) throws {
    let sites = try sites(hosts: "canvas.example.com", origins: "https://www.example.com")
    #expect(sites.fault(of: request(host: "localhost:8080", origin: origin)) == .foreignOrigin(origin))
    #expect(try self.sites(origins: "*").fault(of: request(host: "localhost:8080", origin: origin)) == nil)
  }

  @Test(
    "What is no name and no site is refused",
    arguments: ["https://a.example", "a b", "a,,b", "a/b", "[::1", "a:b"]
  )
  func faults(text: String) {
    var sites = Sites()
    let isTaken = sites.setHosts(text)
    #expect(!isTaken)
  }

  @Test("The same of sites", arguments: ["a.example", "null", "https://", "https://a.example/b", "https://a.example,"])
  func originFaults(text: String) {
    var sites = Sites()
    let isTaken = sites.setOrigins(text)
    #expect(!isTaken)
  }
}
