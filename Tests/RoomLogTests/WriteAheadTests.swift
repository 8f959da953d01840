import Testing

@testable import RoomLog

@Suite("The write-ahead log of a log in SQLite")
struct WriteAheadTests {
  @Test("while another program reads, the log's own reader waits for it only each time that it is twice as long")
  func heldReading() throws {
    let directory = temporaryDirectory()
    defer { remove(directory: directory) }
    let halves = try LogHalves(directory: directory, options: SQLiteOptions { $0.checkpointPages = 8 }) { _ in }
    var id: UInt64 = 0
    /// Appends records while the reading thread has to wait, or while it doesn't.
    /// - Returns: how many pages the write-ahead log has then.
    func append(whileReadingIsHeld isHeld: Bool) throws -> Int32 {
      while halves.shared.isReadingHeld == isHeld, id < 1_000 {
        id += 1
        halves.writing.add([.append(LogBench.append(id, "demo", [bytes("\(id)")]))])
        _ = halves.writer.turn()
      }
      return try #require(halves.writer.connection).writeAheadPages
    }
    let other = try Database(path: directory + "/canvas.db", mayCreate: false, mayWrite: false, fileSystem: nil)
    try other.run("BEGIN")
    _ = try other.number("SELECT count(*) FROM records")
    let first = try append(whileReadingIsHeld: false)
    // The reading thread has waited in vain, and goes on.
    halves.shared.holdReading(false)
    let second = try append(whileReadingIsHeld: false)
    #expect(halves.shared.isReadingHeld && first >= 16 && second >= 2 * first)
    try other.run("COMMIT")
    #expect(try append(whileReadingIsHeld: true) < 8)
    #expect(!halves.shared.isReadingHeld)
    halves.letGo()
  }
}
