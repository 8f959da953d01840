import Testing
import WebSocketLoop

@testable import SyncServer

@Suite("Addresses") struct AddressesTests {
  @Test("An address is compared by its bytes, however it is written") func addresses() {
    #expect(NetworkAddress("2001:DB8:0::1") == NetworkAddress("2001:db8::1"))
    #expect(NetworkAddress("::ffff:192.0.2.1") == NetworkAddress("192.0.2.1"))
    #expect(NetworkAddress("::ffff:192.0.2.1")?.text == "192.0.2.1")
    for text in ["", "localhost", "192.0.2", "192.0.2.1:80", "[::1]", "1.2.3.4.5", "192.0.2.1 "] {
      #expect(NetworkAddress(text) == nil, "\(text)")
    }
  }

  @Test("What is counted by address is counted by network where it is IPv6") func parties() {
    for text in ["192.0.2.1", "", "unknown"] { #expect(NetworkAddress.party(of: text) == text) }
    #expect(NetworkAddress.party(of: "::ffff:192.0.2.1") == "192.0.2.1")
    #expect(NetworkAddress.party(of: "2001:db8:1:2:3:4:5:6") == "2001:db8:1:2::/64")
    #expect(NetworkAddress.party(of: "2001:db8:1:2::9") == "2001:db8:1:2::/64")
    #expect(NetworkAddress.party(of: "2001:db8:1:3::9") == "2001:db8:1:3::/64")
    #expect(NetworkAddress.party(of: "fe80::1%eth0") == "fe80::/64")
  }

  @Test(
    "A range has what begins with its bits, and nothing of the other family",
    arguments: [
      ("10.0.0.0/8", "10.255.1.2", true), ("10.0.0.0/8", "11.0.0.0", false), ("192.0.2.8/29", "192.0.2.15", true),
      ("192.0.2.8/29", "192.0.2.16", false), ("192.0.2.1", "192.0.2.1", true), ("192.0.2.1", "192.0.2.2", false),
      ("0.0.0.0/0", "203.0.113.1", true), ("0.0.0.0/0", "::1", false), ("2001:db8::/33", "2001:db8:7fff::1", true),
      ("2001:db8::/33", "2001:db8:8000::1", false),
    ]
  )
  func ranges(range: String, address: String, isInside: Bool) throws {
    #expect(try #require(AddressRange(range)).contains(try #require(NetworkAddress(address))) == isInside)
  }

  @Test("What is no range is refused", arguments: ["", "/8", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "::/129", "a"])
  func faults(text: String) {
    #expect(AddressRange(text) == nil)
  }

  @Test("A request is its peer's, or the last one's before our proxies") func origins() throws {
    let proxies = try #require(Proxies("127.0.0.1, 203.0.113.0/24"))
    for (peer, path, origin) in [
      ("192.0.2.1", ["198.51.100.1"], "192.0.2.1"), ("127.0.0.1", [], "127.0.0.1"),
      ("127.0.0.1", ["198.51.100.7", "198.51.100.1"], "198.51.100.1"),
      ("127.0.0.1", ["198.51.100.1", "203.0.113.5"], "198.51.100.1"),
      ("127.0.0.1", ["forged", "203.0.113.5"], "203.0.113.5"), ("127.0.0.1", ["x"], "127.0.0.1"),
      ("127.0.0.1", ["198.51.100.1:4711", "203.0.113.5:80"], "198.51.100.1"),
      ("127.0.0.1", ["[2001:db8::1]:4711"], "2001:db8::1"), ("127.0.0.1", ["198.51.100.1:x"], "127.0.0.1"),
      ("127.0.0.1", ["198.51.100.1:", "[2001:db8::1"], "127.0.0.1"),
    ] {
      #expect(proxies.origin(peer: peer, path: path) == origin)
    }
    #expect(Proxies().origin(peer: "127.0.0.1", path: ["198.51.100.1"]) == "127.0.0.1")
    #expect(Proxies("127.0.0.1,x") == nil)
  }
}
