import Foundation
import Testing

/// Expected bytes in files under version control, so that a changed encoding is noticed at once.
///
/// `CANVAS_WRITE_GOLDEN=1` writes the files again. Review them, and commit them with the change that made it necessary.
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

  /// Reads a text file of the project. The path starts at the root.
  static func project(_ path: String) throws -> String {
    let root = folder.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    return try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }
}
