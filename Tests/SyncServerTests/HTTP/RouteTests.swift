import Foundation
import Testing

@testable import CanvasCRDT
@testable import SyncServer

@Suite("The table of routes") struct RouteTests {
  private let table = Route<Hub>.table

  @Test("Each is found by its own path, and by no other") func paths() {
    for route in table {
      var parts = route.path.text.split(separator: "/").map(String.init)
      #expect(Set(table.filter { $0.path.matches(parts) }.map { $0.path }) == [route.path])
      parts.append("x")
      #expect(!route.path.matches(parts), "\(route.path.text)/x")
    }
    for path in ["v1", "v1/rooms/demo/rumours", "v1/rooms/demo/lock/x", "v1/rumours", "rooms/demo"] {
      let parts = path.split(separator: "/").map(String.init)
      #expect(!table.contains { $0.path.matches(parts) }, "\(path)")
    }
  }

  @Test("No method of a path has two rows") func rows() {
    let methods = table.flatMap { route in route.methods.map { "\($0) \(route.path.text)" } }
    #expect(Set(methods).count == methods.count)
  }

  @Test("H5: Viewers read, editors also write, and the rest is for operators") func levels() {
    for route in table where route.path.text.hasPrefix("/v1") {
      let isOfPeople = ["peers", "erasures"].contains(route.path.text.split(separator: "/").last)
      switch route.method {
      case "POST": #expect(route.level == .editor, "\(route.path.text)")
      case "GET" where !isOfPeople: #expect(route.level == .viewer, "\(route.path.text)")
      default: #expect(route.level == .operator, "\(route.method) \(route.path.text)")
      }
    }
  }

  @Test("Rooms are not called as paths are resolved; patterns of rooms begin as they like") func names() {
    for name in [".", "..", "", "a/b", String(repeating: "a", count: 65)] {
      #expect(!RoomName.isValid(name), "\(name)")
    }
    for name in ["...", ".a", "a.", "-", String(repeating: "a", count: 64)] {
      #expect(RoomName.isValid(name), "\(name)")
    }
    #expect(RoomPattern("..") == nil && RoomPattern(".*") == .prefix(".") && RoomPattern("*") == .all)
  }

  /// The routes in the first column of the price table in docs/SECURITY.md.
  private func priced() throws -> Set<String> {
    let root = URL(fileURLWithPath: #filePath).pathComponents.dropLast(4).joined(separator: "/").dropFirst()
    let page = try String(contentsOfFile: "\(root)/docs/SECURITY.md", encoding: .utf8)
    let table = try #require(page.components(separatedBy: "## What each input may cost").last)
    var cells: Set<String> = []
    for line in table.prefix(while: { $0 != "#" }).split(separator: "\n") where line.hasPrefix("| ") {
      for cell in line.split(separator: "|")[0].components(separatedBy: " · ") {
        cells.insert(cell.trimmingCharacters(in: .whitespaces))
      }
    }
    return cells
  }

  @Test("docs/SECURITY.md has a price for each route and for each message") func prices() throws {
    let priced = try priced()
    // `HEAD` is not listed, because it costs the same as `GET`.
    for route in table {
      #expect(priced.contains("`\(route.method) \(route.path.text)`"), "\(route.method) \(route.path.text)")
    }
    for kind in ClientMessageKind.allCases {
      #expect(priced.contains("message `\(kind.wireName)`"), "\(kind.wireName)")
    }
  }
}

@Suite("What is remembered of requests") struct RequestBookTests {
  private func book() -> RequestBook {
    var limits = Limits()
    (limits.operationsPerSecond, limits.operationsPerMessage, limits.httpConnectionsPerAddress) = (10, 50, 2)
    return RequestBook(limits: limits)
  }

  @Test("An address writes at the rate of a connection, and what it has paid before isn't charged again")
  func spending() {
    var book = book()
    // A message's operations may always come at once. A larger layout empties the bucket.
    let taken = [(20, 0), (30, 0), (1, 0), (50, 50), (51, 50)].map { book.spend($0, paid: $1, party: "a", now: 0) }
    #expect(taken == [true, true, false, true, true])
    #expect(
      [(100, 5_000), (100, 9_999), (100, 10_000)].map { book.spend($0, party: "b", now: $1) } == [true, false, true]
    )
    #expect(
      [(2, 200), (1, 200), (1, 299), (1, 300)].map { book.spend($0, party: "a", now: $1) } == [
        true, false, false, true,
      ]
    )
    // Who has paid isn't forgotten before the bucket is full again.
    _ = book.spend(50, party: "c", now: 20_000)
    book.rest(now: 21_000)
    #expect([11, 10].map { book.spend($0, party: "c", now: 21_000) } == [false, true])
  }

  @Test("Whoever has waited long enough for a turn is told so, whatever the turn is for") func waiting() async {
    let all: [WritableKeyPath<RequestBook, HistoryTurns>] = [
      \.historyTurns, \.listTurns, \.copyTurns, \.overlapTurns,
    ]
    for turns in all {
      var book = book()
      var isIdle = false
      let hasTurn = await withCheckedContinuation { (turn: CheckedContinuation<Bool, Never>) in
        book[keyPath: turns].wait(1, "a", turn, now: 0)
        book.rest(now: 10_000)
        isIdle = book[keyPath: turns].isIdle
        book[keyPath: turns].giveUp(1)
      }
      #expect(isIdle && !hasTurn, "\(turns)")
    }
  }

  @Test("Whoever owes pays before the next request, and owes no more than a bucket") func debts() {
    var book = book()
    book.owe(0, party: "a", now: 0)
    #expect(book.rates.isEmpty)
    book.owe(30, party: "a", now: 0)
    let taken = [21, 20].map { book.spend($0, party: "a", now: 0) }
    #expect(taken == [false, true])
    for _ in 0..<9 { book.owe(30, party: "a", now: 0) }
    let takenLater = [4_999, 5_000].map { book.spend(0, party: "a", now: $0) }
    #expect(takenLater == [false, true])
  }

  @Test("Through a proxy, an address has as many requests under way as it may have connections") func proxies() {
    var book = book()
    let entered = ["a", "a", "a", "b"].map { book.enter($0) }
    #expect(entered == [true, true, false, true])
    book.leave("a")
    let enteredLater = ["a", "a"].map { book.enter($0) }
    #expect(enteredLater == [true, false])
  }

  @Test("What somebody owes is paid by time, and then they are forgotten") func owing() {
    var book = RequestBook(limits: Limits())
    for number in 0..<100 { book.owe(1_000_000, party: "10.0.0.\(number)", now: 0) }
    let isTaken = book.spend(1, party: "10.0.0.1", now: 0)
    #expect(!isTaken, "what was made has to be paid first")
    #expect(book.rates.count == 100)
    for second in 1...600 as ClosedRange<UInt64> { book.rest(now: second * 1_000) }
    #expect(book.rates.count == 0)
    let isTakenLater = book.spend(1, party: "10.0.0.1", now: 600_000)
    #expect(isTakenLater)
  }
}
