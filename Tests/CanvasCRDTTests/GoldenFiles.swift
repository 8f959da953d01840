import Foundation
import Testing

/// Expected bytes that are checked in beside the tests, so that a change of an encoding is noticed at once.
///
/// `CANVAS_WRITE_GOLDEN=1` writes the files again. Review the new files, and check them in together with the change
/// that made them necessary.
enum GoldenFiles {
  static func expect(_ bytes: [UInt8], in name: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let file = folder.appendingPathComponent(name)
    if ProcessInfo.processInfo.environment["CANVAS_WRITE_GOLDEN"] == "1" {
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(bytes).write(to: file)
    }
    #expect(try [UInt8](Data(contentsOf: file)) == bytes, "\(name)", sourceLocation: sourceLocation)
  }

  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("Golden")

  /// The text of a file of the project, by its path from the root.
  static func project(_ path: String) throws -> String {
    let root = folder.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    return try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }
}
