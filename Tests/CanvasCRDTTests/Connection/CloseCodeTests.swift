import CanvasCRDT
import Testing

@Suite("Close codes")
struct CloseCodeTests {
  @Test("docs/PROTOCOL.md names each code that a server sends")
  func documented() throws {
    let document = try GoldenFiles.project("docs/PROTOCOL.md").split { $0 == " " || $0 == "\n" }.joined(separator: " ")
    for code in CloseCode.allCases where code != .normal {
      #expect(document.contains("| \(code.rawValue) |"), "\(code) has no row")
      // The server sends no `error` message before it closes with one of these two codes, because the frame itself was
      // wrong or the server is stopping.
      guard code != .protocolError, code != .goingAway else { continue }
      #expect(document.contains("`\(code.wireName)` (\(code.rawValue))"), "\(code) has no name")
    }
  }
}
