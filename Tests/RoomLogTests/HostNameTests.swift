import Glibc
import Synchronization
import Testing

@testable import RoomLog

@Suite("Names of hosts")
struct HostNameTests {
  /// A name resolver that answers at once, except for the name `silent`: that answer waits until the test releases it.
  private final class Resolver: Sendable {
    private let asked = Mutex<[String]>([])
    private let mayAnswer = Mutex(false)
    private let addresses: [String]

    init(_ addresses: [String]) { self.addresses = addresses }

    func count(_ name: String) -> Int { asked.withLock { $0.count { $0 == name } } }
    func answer() { mayAnswer.withLock { $0 = true } }

    func resolve(_ name: String) -> Result<[String], HostNames.Fault> {
      asked.withLock { $0.append(name) }
      while name == "silent", !mayAnswer.withLock({ $0 }) { usleep(1_000) }
      return .success(addresses)
    }
  }

  private func answer(_ lookup: HostNames.Lookup) -> [String]? {
    let deadline = ContinuousClock.now + .seconds(10)
    while lookup.answer == nil, ContinuousClock.now < deadline { usleep(1_000) }
    return try? lookup.answer?.get()
  }

  @Test("a name is looked up by one thread at a time, and anew once there was an answer")
  func lookingUp() {
    let resolver = Resolver(["10.0.0.1"])
    defer { resolver.answer() }
    let names = HostNames(resolver.resolve, woken: {})
    let first = names.lookUp("silent")
    let second = names.lookUp("silent")
    #expect(answer(names.lookUp("quick")) == ["10.0.0.1"] && first.answer == nil)
    #expect(answer(names.lookUp("quick")) == ["10.0.0.1"] && resolver.count("quick") == 2)
    resolver.answer()
    #expect(answer(first) == ["10.0.0.1"] && answer(second) == ["10.0.0.1"] && resolver.count("silent") == 1)
  }

  @Test("directories and addresses are looked up nowhere; a name that nobody has is a fault")
  func noLookup() {
    for host in ["/var/run/postgresql", "@canvas", "127.0.0.1", "::1", ""] {
      #expect(HostNames.needsNoLookup(host), "\(host)")
    }
    #expect(!HostNames.needsNoLookup("localhost"))
    #expect((try? HostNames.system("localhost").get())?.contains("127.0.0.1") == true)
    #expect(throws: HostNames.Fault.self) { try HostNames.system("a name with spaces").get() }
  }

  @Test("a database is found by its host's name", .enabled(if: TestDatabase.isThere))
  func byName() throws {
    let url = try TestDatabase.make()
    defer { TestDatabase.drop(url) }
    let events = EventCollector()
    // `localhost` may have several addresses. The database listens at only one of them.
    let log = try PostgresLog(url.replacing("127.0.0.1", with: "localhost")) { events.take($0) }
    defer { log.close() }
    log.submit(.append(LogBench.append(1, "demo", [bytes("a")])))
    #expect(events.answer(to: 1)?.appended != nil)
  }

  @Test(
    "hosts that the URL leaves to libpq's defaults are looked up in the same way",
    .enabled(if: TestDatabase.isThere)
  )
  func byDefault() throws {
    let url = try TestDatabase.make()
    defer { TestDatabase.drop(url) }
    let port = try #require(PostgresAddress(url).hosts.first?.port)
    let resolver = Resolver(["127.0.0.1"])
    let events = EventCollector()
    let log = try PostgresLog(
      url.replacing("@127.0.0.1:\(port)/", with: "@/"),
      resolve: resolver.resolve,
      defaults: ["host": "database", "port": port]
    ) { events.take($0) }
    defer { log.close() }
    try events.untilOpened()
    #expect(resolver.count("database") >= 1)
  }

  @Test("a URL goes before libpq's defaults, and so does a service file that it names")
  func defaults() throws {
    func hosts(_ url: String, _ defaults: [String: String]) -> [String] {
      PostgresAddress(url, defaults: defaults).hosts.map {
        "\($0.name):\($0.port)\($0.address.map { " at \($0)" } ?? "")"
      }
    }
    let given = ["host": "a,b", "port": "1,2"]
    #expect(hosts("postgresql:///canvas", given) == ["a:1", "b:2"])
    #expect(hosts("postgresql://:7/canvas", given) == ["a:7", "b:7"])
    #expect(hosts("postgresql:///canvas?port=8", given) == ["a:8", "b:8"])
    #expect(hosts("postgresql://user@c/canvas", given) == ["c:"])
    #expect(hosts("postgresql:///canvas?host=d,e", ["host": "a", "port": "6"]) == ["d:6", "e:6"])
    #expect(hosts("postgresql:///canvas", ["host": "a", "hostaddr": "10.0.0.1"]) == ["a: at 10.0.0.1"])
    // Each address is of one host, and a host without one is looked up.
    #expect(hosts("postgresql:///canvas?hostaddr=,10.0.0.2", ["host": "a,b"]) == ["a:5432", "b:5432 at 10.0.0.2"])
    #expect(hosts("postgresql://a/canvas?hostaddr=10.0.0.1,10.0.0.2", [:]) == ["a: at 10.0.0.1"])
    #expect(hosts("postgresql:///canvas?service=near", given) == [])
    #expect(hosts("postgresql:///canvas", ["port": "5432"]) == [])
    // The second half of this test needs libpq.
    guard TestDatabase.isThere else { return }
    #expect(try PostgresLibrary().defaults["port"] != nil)
  }

  @Test(
    "while a name isn't answered for, other hosts are tried, with all of their addresses",
    .enabled(if: TestDatabase.isThere)
  )
  func silent() throws {
    let url = try TestDatabase.make()
    defer { TestDatabase.drop(url) }
    let port = try #require(PostgresAddress(url).hosts.first?.port)
    // No server listens at the first address.
    let resolver = Resolver(["127.0.0.2", "127.0.0.1"])
    defer { resolver.answer() }
    let hosts = "@silent:\(port),database:\(port)/"
    let events = EventCollector()
    let log = try PostgresLog(url.replacing("@127.0.0.1:\(port)/", with: hosts), resolve: resolver.resolve) {
      events.take($0)
    }
    defer { log.close() }
    try events.untilOpened()
    #expect(
      events.all.contains { if case .waiting(let fault) = $0 { "\(fault)".contains("\"silent\"") } else { false } }
    )
    #expect(resolver.count("silent") == 1)
    // Ends the helper's connection. To reconnect, the helper has to wait for the name lookup. The other connections
    // keep working.
    let helper = "datname = current_database() AND application_name = 'canvas helper'"
    try TestDatabase.ask("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE \(helper)", in: url)
    while log.statistics().following?.reconnects == 0 { usleep(1_000) }
    for id in 1...20 as ClosedRange<UInt64> {
      log.submit(.append(LogBench.append(id, "demo", [bytes("\(id)")])))
      #expect(events.answer(to: id)?.appended != nil)
    }
    #expect(log.statistics().following?.connections["helper"] == false)
  }
}
