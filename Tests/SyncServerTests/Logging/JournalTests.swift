import Glibc
import Testing

@testable import SyncServer

@Suite("What is on record") struct JournalTests {
  private let folder: TemporaryFolder
  private let path: String
  private var journal = Journal(Logger(level: .error, format: .text))

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path + "/audit.jsonl"
    journal.use(try AuditLog(path: path))
  }

  private func lines() throws -> [Substring] {
    let file = try #require(fopen(path, "re"))
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    let count = fread(&bytes, 1, bytes.count, file)
    return String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n")
  }

  @Test("refused access and refused acts of operators are on record; rejected operations are not")
  mutating func refusals() throws {
    let codes = ["no_token", "token_refused", "forbidden", "removed", "too_many", "http_401", "http_403", "http_421"]
    for code in codes + ["rate_limited", "read_only", "http_404", "http_429", "http_503", "unavailable", "bad_shape"] {
      journal.write(Refusal(code: code, address: "192.0.2.1", reason: "because"))
    }
    let lines = try lines()
    #expect(lines.count == codes.count)
    for (line, code) in zip(lines, codes) {
      #expect(line.contains("\"event\":\"refused\"") && line.contains("\"code\":\"\(code)\""), "\(line)")
      #expect(line.contains("\"address\":\"192.0.2.1\"") && line.contains("\"reason\":\"because\""), "\(line)")
    }
  }

  @Test("of a flood of refusals, a hundred a second are on record, and the others are counted")
  mutating func flood() throws {
    for address in 0..<130 {
      journal.write(Refusal(code: "no_token", address: "10.0.0.\(address)", reason: "because"))
    }
    #expect(try lines().count == 100)
    journal.beginSecond(now: 1_000)
    #expect(try lines().last?.hasSuffix("\"event\":\"refused more\",\"count\":30}") == true)
    journal.write(Refusal(code: "no_token", address: "10.0.0.200", reason: "because"))
    journal.beginSecond(now: 2_000)
    #expect(try lines().count == 102)
  }

  @Test("what one address does often is on record a hundred times, and then counted")
  mutating func often() throws {
    for _ in 0..<105 {
      journal.record(AuditLog.Deed(event: "entered", address: "192.0.2.1", isOften: true))
      journal.record(AuditLog.Deed(event: "locked", address: "192.0.2.1"))
    }
    #expect(try lines().count == 205)
    journal.beginSecond(now: 1_000, isEnd: true)
    let last = try #require(try lines().last)
    #expect(last.hasSuffix("\"event\":\"more\",\"address\":\"192.0.2.1\",\"count\":5}"), "\(last)")
  }

  @Test("an address that writes to very many rooms has a thousand lines, ten more each second, and is counted then")
  mutating func manyRooms() throws {
    func writer(_ number: Int) -> WritingGathering.Writer {
      WritingGathering.Writer(event: "wrote", room: "room-\(number)", actor: "a", token: nil, address: "192.0.2.1")
    }
    for number in 0..<1_500 { journal.noteWriting(by: writer(number), operations: 1, now: 0) }
    #expect(try lines().count == 1_000)
    journal.beginSecond(now: 1_000)
    for number in 1_500..<1_520 { journal.noteWriting(by: writer(number), operations: 1, now: 1_000) }
    #expect(try lines().count == 1_010)
    journal.beginSecond(now: 2_000, isEnd: true)
    let last = try #require(try lines().last)
    #expect(last.hasSuffix("\"event\":\"wrote more\",\"address\":\"192.0.2.1\",\"count\":510}"), "\(last)")
  }

  @Test("after a rotation, lines go to the new file")
  mutating func rotation() throws {
    journal.record(AuditLog.Deed(event: "entered", address: "192.0.2.1"))
    rename(path, folder.path + "/audit.old")
    journal.record(AuditLog.Deed(event: "entered", address: "192.0.2.1"))
    journal.reopenAudit()
    journal.tell(AuditLog.Deed(event: "locked", address: "192.0.2.1"))
    #expect(try lines().count == 1 && lines()[0].contains("\"locked\""))
  }

  @Test("a long reason is cut between two characters, with a mark")
  func reasons() {
    for (text, cut) in [
      (String(repeating: "a", count: 200), String(repeating: "a", count: 200)),
      (String(repeating: "a", count: 201), String(repeating: "a", count: 200) + "…"),
      (String(repeating: "ä", count: 101), String(repeating: "ä", count: 100) + "…"),
      ("a" + String(repeating: "ä", count: 100), "a" + String(repeating: "ä", count: 99) + "…"),
    ] {
      let refusal = Refusal(code: "a", address: "b", reason: text, request: text)
      #expect(refusal.reason == cut && refusal.request == cut)
    }
  }
}
