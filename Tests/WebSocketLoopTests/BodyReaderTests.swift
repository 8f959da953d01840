import Testing

@testable import WebSocketLoop

@Suite("Bodies of HTTP messages")
struct BodyReaderTests {
  /// Gives a reader a body that never ends, piece by piece. Returns how many bytes the reader holds when it refuses the
  /// body.
  private func heldBytes(_ beginning: String, then piece: String) throws -> Int? {
    var reader = try BodyReader(.chunked, bytesMax: 1_000)
    var held = Array(beginning.utf8)
    for _ in 0..<1_000 {
      held += Array(piece.utf8)
      do throws(HTTPFault) { try reader.take(&held) } catch { return held.count + reader.body.count }
    }
    return nil
  }

  @Test(
    "a body ends where its length, its chunks or the connection say, however it comes, and leaves what is behind it"
  )
  func lengths() throws {
    let cases: [(length: BodyLength, bytes: String, body: String, rest: String)] = [
      (.bytes(0), "next", "", "next"), (.bytes(5), "hellonext", "hello", "next"),
      (.chunked, "2\r\nhe\r\n3;a=b\r\nllo\r\n0\r\nT: x\r\n\r\nnext", "hello", "next"),
      (.untilEnd, "hello", "hello", ""),
    ]
    for (length, text, body, rest) in cases {
      for size in [1, 2, 100] {
        var reader = try BodyReader(length, bytesMax: 5)
        var held: [UInt8] = []
        for start in stride(from: 0, to: text.utf8.count, by: size) {
          held += text.utf8.dropFirst(start).prefix(size)
          try reader.take(&held)
        }
        #expect(String(decoding: reader.body, as: UTF8.self) == body && held == Array(rest.utf8), "\(text) by \(size)")
        #expect(reader.isComplete == (length != .untilEnd) && reader.isCompleteAtEnd)
      }
    }
    for (length, text) in [(.bytes(5), "hell"), (.chunked, "5\r\nhello\r\n0\r\n")] as [(BodyLength, String)] {
      var reader = try BodyReader(length, bytesMax: 5)
      var held = Array(text.utf8)
      try reader.take(&held)
      #expect(!reader.isComplete && !reader.isCompleteAtEnd, "\(text)")
    }
  }

  @Test(
    "a body may be as long as its bound says, and no longer",
    arguments: [BodyLength.bytes(6), .chunked, .untilEnd]
  )
  func bound(length: BodyLength) throws {
    #expect(throws: HTTPFault(status: 413, message: "the body is longer than 5 bytes")) {
      var reader = try BodyReader(length, bytesMax: 5)
      var held = Array((length == .chunked ? "6\r\nhello!" : "hello!").utf8)
      try reader.take(&held)
    }
  }

  @Test(
    "H12: extensions of a chunk are names, with or without values",
    arguments: [
      (";a", true), (";a=b", true), (" ; a = b\t;c", true), (";a=\"\"", true), (";a=\"b \\\" \\\\\";c", true),
      ("", true), (";", false), ("a", false), (";a;", false), (";=b", false), (";a=", false), (";a=b c", false),
      (";a=\"b", false), (";a=\"b\\", false), (";a=\"\u{7F}\"", false), (";a=\"\\\u{1}\"", false), (" ", false),
      (";a b", false), (";a=\"b\"c", false),
    ]
  )
  func extensions(text: String, isWellFormed: Bool) {
    #expect(ChunkExtension.areWellFormed(Array(text.utf8)[...]) == isWellFormed)
  }

  @Test("H12: a chunk's line has at most 256 bytes, and a body at most 16 trailers, its last empty line included")
  func lines() throws {
    func isTaken(_ text: String) throws -> Bool {
      var reader = try BodyReader(.chunked, bytesMax: 100)
      var held = Array(text.utf8)
      do throws(HTTPFault) { try reader.take(&held) } catch { return false }
      return reader.isComplete
    }
    func line(_ count: Int) -> String { "0;" + String(repeating: "a", count: count - 3) + "\r\n\r\n" }
    #expect(try isTaken(line(256)) && !isTaken(line(257)))
    func trailers(_ count: Int) -> String { "0\r\n" + String(repeating: "T: x\r\n", count: count) + "\r\n" }
    #expect(try isTaken(trailers(15)) && !isTaken(trailers(16)))
  }

  @Test("H12: a line of a chunk that never ends is refused as soon as it is too long")
  func endlessLine() throws {
    for beginning in ["5;", "5;name=", "0\r\nName: ", "1\r\nx"] {
      let held = try #require(try heldBytes(beginning, then: "aaaaaaaaaa"), "\(beginning)")
      #expect(held <= 300, "\(beginning)")
    }
  }

  @Test("H12: chunks and trailers without end are refused")
  func endlessChunks() throws {
    #expect(try #require(try heldBytes("", then: "5\r\naaaaa\r\n")) <= 1_010)
    #expect(try #require(try heldBytes("0\r\n", then: "A: b\r\n")) <= 300)
  }
}
