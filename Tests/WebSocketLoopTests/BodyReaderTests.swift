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
