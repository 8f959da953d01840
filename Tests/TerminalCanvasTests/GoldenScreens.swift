import Foundation
import TerminalCanvas
import Testing

/// Expected screens in files. `cat` shows such a file as it looks in a terminal.
///
/// `CANVAS_WRITE_GOLDEN=1` writes the files again. Review the files, and commit them with the change that made the new
/// files necessary.
enum GoldenScreens {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("Golden")

  static func expect(_ screen: Screen, _ name: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let file = folder.appendingPathComponent("\(name).ansi")
    let found = text(of: screen)
    if ProcessInfo.processInfo.environment["CANVAS_WRITE_GOLDEN"] == "1" {
      try found.write(to: file, atomically: true, encoding: .utf8)
    }
    let expected = try String(contentsOf: file, encoding: .utf8)
    guard found != expected else { return }
    let foundRows = found.split(separator: "\n", omittingEmptySubsequences: false)
    let expectedRows = expected.split(separator: "\n", omittingEmptySubsequences: false)
    let row = zip(foundRows, expectedRows).enumerated().first { $0.element.0 != $0.element.1 }?.offset
    Issue.record("\(name) differs from row \(row ?? -1) on", sourceLocation: sourceLocation)
  }

  /// The screen as text, one row per line, so that a diff shows the changed rows.
  private static func text(of screen: Screen) -> String {
    var text = ""
    for row in 0..<screen.rows {
      var line = Screen(columns: screen.columns, rows: 1)
      for column in 0..<screen.columns where screen[row, column].glyph != .continuation {
        line[0, column] = screen[row, column]
      }
      for column in 0..<screen.columns where screen[row, column].glyph == .continuation {
        line[0, column] = screen[row, column]
      }
      var bytes = String(decoding: ScreenDiff.bytes(from: nil, to: line), as: UTF8.self)
      for control in ["\u{1B}[?2026h", "\u{1B}[?2026l", "\u{1B}[0m\u{1B}[2J", "\u{1B}[?25l", "\u{1B}[1H"] {
        bytes = bytes.replacing(control, with: "")
      }
      text += bytes + "\u{1B}[0m\n"
    }
    return text
  }
}
