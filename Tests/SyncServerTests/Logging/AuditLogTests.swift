import Glibc
import Testing

@testable import SyncServer

@Suite("The record of who did what") struct AuditLogTests {
  private static func inFolder(_ body: (_ path: String) throws -> Void) throws {
    let folder = try TemporaryFolder()
    try body(folder.path + "/audit.jsonl")
  }

  private static func lines(_ path: String) throws -> [Substring] {
    let file = try #require(fopen(path, "re"))
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = fread(&bytes, 1, bytes.count, file)
    return String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
  }

  @Test("A line behind one that was cut off is a line of its own") func cut() throws {
    try AuditLogTests.inFolder { path in
      let file = try #require(fopen(path, "we"))
      fputs("{\"time\":\"2026-11-25T12:00:00.000Z\",\"event\":\"ent", file)
      fclose(file)
      var audit = try AuditLog(path: path)
      for event in ["locked", "unlocked"] {
        let fault = audit.write(.init(event: event, room: "demo", address: "127.0.0.1"))
        #expect(fault == nil)
      }
      let lines = try AuditLogTests.lines(path)
      #expect(lines.count == 4 && lines[0].hasSuffix("ent") && lines[3].isEmpty)
      #expect(lines[1].hasSuffix(",\"event\":\"locked\",\"room\":\"demo\",\"address\":\"127.0.0.1\"}"))
      #expect(lines[2].hasPrefix("{\"time\":\"") && lines[2].contains("\"unlocked\""))
    }
  }

  @Test("Names can't do anything to the terminal on which somebody reads it") func plain() throws {
    try AuditLogTests.inFolder { path in
      var audit = try AuditLog(path: path)
      let name = "Ann\u{9B}31m\u{202E}\n\u{1B}[2Jé"
      let details: [(key: String, value: Logger.Field)] = [("name", .text(name)), ("n", .number(3))]
      let fault = audit.write(.init(event: "entered", address: "::1", details: details))
      #expect(fault == nil)
      let line = try #require(try AuditLogTests.lines(path).first)
      #expect(line.hasSuffix("\"name\":\"Ann\\u009b31m\\u202e\\u000a\\u001b[2Jé\",\"n\":3}"), "\(line)")
    }
  }
}

@Suite("The audit log as a pipe") struct AuditPipeTests {
  @Test("Without a reader, lines wait in the pipe. While it is full, lines are lost and told as a fault")
  func missingReader() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/audit.jsonl"
    try #require(mkfifo(path, 0o600) == 0)
    var audit = try AuditLog(path: path)
    let deed = AuditLog.Deed(event: "locked", room: String(repeating: "r", count: 1_000), address: "::1")
    var written = 0
    while audit.write(deed) == nil { written += 1 }
    #expect(written > 0)
    let reader = Glibc.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    defer { close(reader) }
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    #expect(read(reader, &bytes, bytes.count) >= written * 1_000)
    #expect(audit.write(deed) == nil)
  }
}

@Suite("Writing over HTTP, on record") struct WritingGatheringTests {
  private let ann = WritingGathering.Writer(event: "wrote", room: "demo", actor: "a", token: "Ann", address: "::1")

  @Test("The first is told at once, the others of ten seconds as one sum, and none is lost") func sums() {
    var gathering = WritingGathering()
    var other = WritingGathering.Writer(event: "wrote", room: "demo", actor: "b", token: nil, address: "::1")
    func tells(_ writer: WritingGathering.Writer, _ operations: Int, _ now: UInt64) -> Bool {
      gathering.tells(writer, operations: operations, now: now)
    }
    func sums(_ now: UInt64, isEnd: Bool = false) -> [WritingGathering.Sum] {
      gathering.takeSums(now: now, isEnd: isEnd)
    }
    #expect(tells(ann, 3, 0))
    #expect(tells(other, 1, 5))
    for now in 1...100 as ClosedRange<UInt64> { #expect(!tells(ann, 2, now)) }
    #expect(sums(9_999).isEmpty)
    let told = sums(10_000)
    #expect(told.map(\.writer) == [ann] && told[0].requests == 100 && told[0].operations == 200)
    #expect(tells(ann, 1, 10_001), "its time is over")
    #expect(!tells(ann, 4, 10_002))
    #expect(sums(10_003, isEnd: true).map(\.operations) == [4])
    // The writes of only `writersMax` writers are summed up. Each request of further writers gets its own line.
    for number in 0..<2 * WritingGathering.writersMax {
      other = WritingGathering.Writer(event: "wrote", room: "demo", actor: "\(number)", token: nil, address: "::1")
      #expect(tells(other, 1, 20_000))
    }
    #expect(tells(other, 1, 20_000))
  }
}
