import CSQLite
import Glibc
import Testing

@testable import RoomLog

@Suite("A log whose process is killed")
struct CrashTests {
  @Test("after each of twenty-four kills at any moment it has everything that was acknowledged")
  func kills() throws {
    let directory = temporaryDirectory()
    defer { remove(directory: directory) }
    var generator = SeededGenerator(seed: 0xDEAD)
    var acknowledged: [String: [UInt64: String]] = [:]
    var snapshots: [String: UInt64] = [:]
    for round in 0..<24 {
      let writer = try CrashWriter("write", directory: directory)
      var lines: [String] = []
      for _ in 0..<Int.random(in: 1...600, using: &generator) {
        lines.append(try #require(writer.line(), "the writer ended by itself in round \(round)"))
      }
      lines += writer.kill()
      for line in lines {
        let words = line.split(separator: " ").map(String.init)
        let position = try #require(words.count > 2 ? UInt64(words[2]) : nil, "\(line)")
        if words[0] == "record" { acknowledged[words[1], default: [:]][position] = words[3] }
        if words[0] == "snapshot" { snapshots[words[1]] = position }
      }
      try check(directory, acknowledged, snapshots, round)
    }
    #expect(acknowledged.count == 5)
    #expect(!snapshots.isEmpty)
  }

  private func check(
    _ directory: String,
    _ acknowledged: [String: [UInt64: String]],
    _ snapshots: [String: UInt64],
    _ round: Int
  ) throws {
    let bench = try LogBench(.sqlite, directory: directory, keepsDirectory: true)
    for (room, records) in acknowledged {
      let stored = try bench.records(room)
      let indexes = Dictionary(
        uniqueKeysWithValues: stored.map { record in
          (record.position, String(decoding: record.bytes.split(separator: 32)[1], as: UTF8.self))
        }
      )
      for (position, index) in records {
        #expect(indexes[position] == index, "\(room) at \(position) in round \(round)")
      }
      let loaded = try #require(try bench.load(room).loaded)
      if let reported = snapshots[room] { #expect(loaded.summary.snapshot?.position ?? 0 >= reported) }
      if let snapshot = loaded.snapshot {
        #expect(snapshot.bytes.allSatisfy { $0 == UInt8(snapshot.place.position % 251) })
        #expect(snapshot.place.shapes == snapshot.place.position)
      }
    }
    bench.close()
  }

  @Test("a room is never opened from a half-written snapshot")
  func halfWrittenSnapshot() throws {
    // If the snapshot is complete before this process kills the writer, the test tries again.
    for _ in 0..<20 {
      let directory = temporaryDirectory()
      defer { remove(directory: directory) }
      guard let before = try killedInTheMiddle(directory) else { continue }
      #expect(try before.number("SELECT count(*) FROM snapshot_parts") > 0)
      try checkHalfWritten(directory, before)
      return
    }
    Issue.record("the snapshot was never in the middle")
  }

  /// The database of a writer that was killed while it wrote a large snapshot. `nil` if the snapshot was already
  /// complete.
  private func killedInTheMiddle(_ directory: String) throws -> Database? {
    let writer = try CrashWriter("snapshot", directory: directory)
    let large = "length=\(50 << 20)"
    while true {
      for _ in 0..<20 { _ = try #require(writer.line()) }
      // Suspends the writer while the test reads the database.
      writer.signal(SIGSTOP)
      let database = try Database(path: directory + "/canvas.db", mayCreate: false, fileSystem: nil)
      // The result is `nil` if the query fails, which happens if the suspended writer holds an exclusive lock on the
      // database.
      let whole = try? database.number("SELECT count(*) FROM snapshots WHERE complete=1 AND \(large)")
      let parts = "snapshots JOIN snapshot_parts USING(room, position)"
      let begun = try? database.number("SELECT count(*) FROM \(parts) WHERE \(large)")
      if let whole, let begun, whole + begun > 0 {
        _ = writer.kill()
        return whole == 0 ? database : nil
      }
      writer.signal(SIGCONT)
    }
  }

  private func checkHalfWritten(_ directory: String, _ before: Database) throws {
    let bench = try LogBench(.sqlite, directory: directory, keepsDirectory: true)
    for summary in try bench.summaries() {
      #expect(try bench.load(summary.room).loaded?.snapshot?.place.byteCount != 50 << 20)
      #expect(try bench.records(summary.room).count == Int(summary.last))
    }
    // Waits until the log has removed the parts of the unfinished snapshot.
    var remains: Int64 = 1
    for _ in 0..<5_000 where remains > 0 {
      _ = try bench.summaries()
      remains = try before.number("SELECT count(*) FROM snapshots WHERE complete=0")
    }
    #expect(remains == 0)
    bench.close()
  }
}
