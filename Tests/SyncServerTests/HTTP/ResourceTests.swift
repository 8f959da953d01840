import Foundation
import Testing

@testable import CanvasCRDT
@testable import SyncServer

@Suite("What there is under /v1") struct ResourceTests {
  @Test("Each is found by its own path, and by no other") func paths() {
    for resource in Resource.allCases {
      var parts = resource.rawValue.split(separator: "/").dropFirst().map(String.init)
      #expect(Resource(parts) == resource, "\(resource.rawValue)")
      parts.append("x")
      #expect(Resource(parts) != resource, "\(resource.rawValue)/x")
    }
    for parts in [[], ["rooms", "demo", "rumours"], ["rooms", "demo", "lock", "x"], ["rumours"]] as [[String]] {
      #expect(Resource(parts) == nil, "\(parts)")
    }
  }

  @Test("H5: Viewers read, editors also write, and the rest is for operators") func levels() {
    for resource in Resource.allCases {
      for method in resource.methods {
        let level = resource.level(for: method)
        switch (resource, method) {
        case (.operations, _), (.layout, _): #expect(level == .editor && resource.writes(by: method))
        case (.peers, _), (.peer, _), (.lock, _), (.erasures, _), (.writing, _), (.room, "DELETE"):
          #expect(level == .operator && !resource.writes(by: method))
        default: #expect(level == .viewer && !resource.writes(by: method), "\(method) \(resource)")
        }
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

  @Test("docs/SECURITY.md has a price for each method of each resource and for each message") func prices() throws {
    let priced = try priced()
    for resource in Resource.allCases {
      // `HEAD` is not listed, because it costs the same as `GET`.
      for method in resource.methods where method != "HEAD" {
        #expect(priced.contains("`\(method) \(resource.rawValue)`"), "\(method) \(resource.rawValue)")
      }
    }
    for kind in ClientMessageKind.allCases {
      #expect(priced.contains("message `\(kind.wireName)`"), "\(kind.wireName)")
    }
  }
}

@Suite("What is remembered of requests") struct RequestBookTests {
  @Test("What somebody owes is paid by time, and then they are forgotten") func owing() {
    var book = RequestBook(limits: Limits())
    for number in 0..<100 { book.owe(1_000_000, party: "10.0.0.\(number)", now: 0) }
    let isTaken = book.spend(1, party: "10.0.0.1", now: 0)
    #expect(!isTaken, "what was made has to be paid first")
    #expect(book.rateCount == 100)
    for second in 1...600 as ClosedRange<UInt64> { book.rest(now: second * 1_000) }
    #expect(book.rateCount == 0)
    let isTakenLater = book.spend(1, party: "10.0.0.1", now: 600_000)
    #expect(isTakenLater)
  }
}
