import Glibc
import Testing

@testable import RoomLog

@Suite("Verifying what is stored, part by part") struct VerificationTests {
  private let bench: LogBench

  init() throws {
    bench = try LogBench(.sqlite)
    for room in ["a", "b", "c"] {
      try bench.append(room, (0..<20).map { bytes("record \($0) of \(room)") })
      // This snapshot is stored in three parts.
      try bench.snapshot(room, at: 10, [UInt8](repeating: 7, count: 150_000))
      try bench.snapshot(room, at: 20, bytes("as of 20"))
    }
  }

  private func change(_ statement: String) throws {
    bench.close()
    try Database(path: bench.directory + "/canvas.db", mayCreate: false, fileSystem: nil).run(statement)
    try bench.reopen()
  }

  /// Verifies everything in parts, and calls `between` after each part.
  /// - Returns: the parts.
  private func round(
    bytesMax: Int = .max,
    microsecondsMax: UInt64 = 60_000_000,
    between: (Int) throws -> Void = { _ in }
  ) throws -> [VerifiedPart] {
    var parts = [try bench.verifyPart(bytesMax: bytesMax, microsecondsMax: microsecondsMax)]
    while let next = parts.last?.next {
      try #require(parts.count < 1_000, "the round doesn't end")
      try between(parts.count)
      parts.append(try bench.verifyPart(from: next, bytesMax: bytesMax, microsecondsMax: microsecondsMax))
    }
    return parts
  }

  private static let recordBytes = (0..<20).reduce(0) { $0 + bytes("record \($1) of a").count }
  private static let roomBytes = recordBytes + 150_000 + bytes("as of 20").count

  @Test("a round reads each record and each snapshot once, in whatever parts it comes")
  func whole() throws {
    let limits: [(Int, UInt64)] = [(.max, 60_000_000), (100, 60_000_000), (1, 60_000_000), (.max, 0)]
    for (bytesMax, time) in limits {
      let parts = try round(bytesMax: bytesMax, microsecondsMax: time)
      #expect(parts.map(\.rooms).reduce(0, +) == 3)
      #expect(parts.map(\.records).reduce(0, +) == 60)
      #expect(parts.map(\.bytes).reduce(0, +) == 3 * VerificationTests.roomBytes)
      #expect(parts.allSatisfy { $0.damages.isEmpty })
      if bytesMax == .max, time > 0 { #expect(parts.count == 1) }
      // A part ends with the row that exceeds the limit on bytes or on time.
      if bytesMax == 100 { #expect(parts.allSatisfy { $0.bytes < 100 + 65_536 && $0.records <= 8 }) }
      if bytesMax == 1 || time == 0 { #expect(parts.allSatisfy { $0.records <= 1 && $0.bytes <= 65_536 }) }
    }
    #expect(bench.log.statistics().damagedRooms == 0)
  }

  @Test("damage in the file is found, even while the log has the sound bytes in memory")
  func damagedBeneathMemory() throws {
    var options = SQLiteOptions()
    // With 0 pages, a checkpoint copies everything into the database file at once.
    options.checkpointPages = 0
    let bench = try LogBench(.sqlite, options: options)
    try bench.append("demo", [bytes("one"), bytes("two-of-demo")])
    // The log acknowledges an append before it copies it into the database file. The copy of the first append is done
    // when this second one is answered.
    try bench.append("other", [bytes("later")])
    #expect(try bench.records("demo").count == 2)
    try bench.damageInFile(bytes("two-of-demo"))
    let part = try bench.verifyPart()
    #expect(part.damages == [.damaged(room: "demo", position: 2)])
  }

  @Test(
    "whatever differs from what was stored is found, and the other rooms are read all the same",
    arguments: [
      (
        "UPDATE records SET bytes=CAST('record 7 of _' AS BLOB) WHERE room=2 AND position=8",
        LogError.damaged(room: "b", position: 8)
      ),
      ("DELETE FROM records WHERE room=2 AND position>=15", .damaged(room: "b", position: 15)),
      ("UPDATE rooms SET last=5 WHERE name='b'", .damaged(room: "b", position: 0)),
      ("UPDATE snapshots SET shapes=shapes+1 WHERE room=2 AND position=10", .damagedSnapshot(room: "b", position: 10)),
      (
        "UPDATE snapshot_parts SET bytes=CAST('as of 2_' AS BLOB) WHERE room=2 AND position=20",
        .damagedSnapshot(room: "b", position: 20)
      ),
      ("DELETE FROM snapshot_parts WHERE room=2 AND position=10 AND part=2", .damagedSnapshot(room: "b", position: 10)),
    ]
  )
  func damage(statement: String, damage: LogError) throws {
    try change(statement)
    for bytesMax in [Int.max, 1] {
      let parts = try round(bytesMax: bytesMax)
      #expect(parts.flatMap(\.damages) == [damage])
      #expect(parts.map(\.rooms).reduce(0, +) == 3)
      #expect(bench.log.statistics().damagedRooms == 1)
    }
    #expect(try bench.verify("b").error == damage, "as does verifying the room alone")
    try bench.delete("b")
    #expect(bench.log.statistics().damagedRooms == 0, "with the room its damage is gone")
    #expect(try round().flatMap(\.damages) == [])
  }

  @Test("a damaged record keeps nobody from reading the room's snapshots")
  func recordAndSnapshot() throws {
    try change(
      """
      UPDATE records SET milliseconds=1 WHERE room=2 AND position=8;
      UPDATE snapshots SET content=content+1 WHERE room=2 AND position=20
      """
    )
    #expect(
      try round().flatMap(\.damages)
        == [.damaged(room: "b", position: 8), .damagedSnapshot(room: "b", position: 20)]
    )
    #expect(bench.log.statistics().damagedRooms == 1, "it is one room")
  }

  @Test(
    "a row that changes between two parts is read in its new form",
    arguments: [1, 10] + Array(18...28) + [40, 48]
  )
  func changes(after count: Int) throws {
    let parts = try round(bytesMax: 1) { done in
      guard done == count else { return }
      let trim = TrimRequest(id: bench.nextId(), room: "a", epoch: LogBench.epoch, through: 20)
      bench.log.submit(.trim(trim))
      _ = bench.events.answer(to: trim.id)
      try bench.delete("b")
      try bench.append("b", [bytes("another of that name")], epoch: 5)
      try bench.append("c", [bytes("more")])
    }
    #expect(parts.flatMap(\.damages) == [])
    #expect(bench.log.statistics().damagedRooms == 0)
  }

  @Test("a log in memory has nothing to compare")
  func memory() throws {
    let bench = try LogBench(.memory)
    try bench.append("a", [bytes("record")])
    let answer = try bench.ask {
      .verifyPart(VerifyRequest(id: $0, start: nil, bytesMax: 1, microsecondsMax: 0))
    }
    var part = VerifiedPart()
    part.rooms = 1
    #expect(answer == .verifiedPart(id: bench.nextId() - 1, part))
  }
}
