import CanvasCRDT
import Testing

@Suite("Close codes")
struct CloseCodeTests {
  @Test("docs/PROTOCOL.md names each code that a server sends")
  func documented() throws {
    let document = try GoldenFiles.project("docs/PROTOCOL.md").split { $0 == " " || $0 == "\n" }.joined(separator: " ")
    for code in CloseCode.allCases where code != .normal {
      #expect(document.contains("| \(code.rawValue) |"), "\(code) has no row")
      // With these two codes, no `error` message comes before the close: the frame itself was wrong, or the server
      // simply stops.
      guard code != .protocolError, code != .goingAway else { continue }
      #expect(document.contains("`\(code.wireName)` (\(code.rawValue))"), "\(code) has no name")
    }
  }
}
