import Glibc
import Testing

/// A folder of its own for a test, which takes the folder away when it ends.
final class TemporaryFolder {
  let path: String

  init() throws {
    var template = Array("/tmp/sync-server-tests-XXXXXX".utf8CString)
    try #require(mkdtemp(&template) != nil)
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Writes a file into the folder.
  /// - Returns: the file's path.
  func file(_ name: String, _ content: [UInt8], mode: mode_t = 0o600) throws -> String {
    let file = path + "/" + name
    let descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    try #require(descriptor >= 0 && fchmod(descriptor, mode) == 0)
    defer { close(descriptor) }
    try #require(write(descriptor, content, content.count) == content.count)
    return file
  }

  deinit {
    guard let directory = opendir(path) else { return }
    defer { closedir(directory) }
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { unlink(path + "/" + name) }
    }
    rmdir(path)
  }
}
