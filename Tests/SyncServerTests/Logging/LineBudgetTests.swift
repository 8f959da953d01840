import CanvasCRDT
import Foundation
import Testing

@testable import SyncServer

@Suite("Lines by address") struct LineBudgetTests {
  @Test("An address has a hundred lines and one more each second; the rest is a number, and others are not kept out")
  func budget() {
    var budget = LineBudget()
    let taken = (0..<150).count { _ in budget.takes("192.0.2.1") }
    #expect(taken == 100 && budget.takes("192.0.2.2"))
    // All addresses of one IPv6 network share one budget.
    #expect((0..<150).count { budget.takes("2001:db8::\($0)") } == 100)
    var counts: [(address: String, count: Int)] = []
    for _ in 0..<10 { counts += budget.takeCounts() }
    #expect(counts.map(\.count) == [50, 50] && counts.first?.address == "192.0.2.1")
    #expect((0..<150).count { _ in budget.takes("192.0.2.1") } == 10)
    #expect(budget.takeCounts(isEnd: true).map(\.count) == [140])
    #expect(budget.takeCounts(isEnd: true).isEmpty)
  }

  @Test("Lines of any number of addresses are let through or counted") func manyAddresses() {
    var budget = LineBudget()
    var written = 0
    for number in 0..<10_000 where budget.takes("192.0.\(number / 256).\(number % 256)") { written += 1 }
    // An address that came before there were too many goes on with its own hundred lines.
    let own = (0..<150).count { _ in budget.takes("192.0.0.1") }
    #expect(own == 99)
    let counted = budget.takeCounts(isEnd: true).reduce(0) { $0 + $1.count }
    #expect(written + counted + own == 10_150 && written >= 4_096 && written < 5_000)
  }

  @Test("A flood of refusals from one address leaves another's on record") func floodOfRefusals() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/audit.jsonl"
    var audit = try AuditLog(path: path)
    for _ in 0..<5 {
      for _ in 0..<500 {
        #expect(audit.writeRefusal(AuditLog.Deed(event: "refused", address: "192.0.2.1", isOften: true)) == nil)
      }
      #expect(audit.writeRefusal(AuditLog.Deed(event: "refused", address: "192.0.2.2", isOften: true)) == nil)
      #expect(audit.beginSecond() == nil)
    }
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    // The first address has used up the limit of a hundred lines in the first second. So the second address gets lines
    // only in later seconds.
    #expect(lines.count { $0.contains("192.0.2.2") && $0.contains("refused") } >= 4)
  }
}
