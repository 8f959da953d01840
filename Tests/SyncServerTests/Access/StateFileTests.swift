import Glibc
import Testing

@testable import SyncServer

@Suite("A small file beside the log: locks, or the secret")
struct StateFileTests {
  /// A disk that fails at a chosen call. The name of a new file is durable only once the folder is synced.
  private final class Disk {
    var names: [String: [UInt8]] = [:]
    /// The files that would survive a power cut.
    var durable: [String: [UInt8]] = [:]
    var calls = 0
    var failing: Int?

    init(_ content: [UInt8]) {
      names["folder/file"] = content
      durable = names
    }

    private func call(_ work: () -> Void) -> Int32 {
      calls += 1
      if calls == failing { return ENOSPC }
      work()
      return 0
    }

    var asStateDisk: StateDisk {
      StateDisk(
        create: { bytes, path in self.call { self.names[path] = bytes } },
        rename: { from, to in self.call { self.names[to] = self.names.removeValue(forKey: from) } },
        syncFolder: { folder in self.call { if folder == "folder" { self.durable = self.names } } }
      )
    }
  }

  @Test("a written file is there after a power cut")
  func durable() throws {
    let disk = Disk([1, 2])
    try StateFile.write([3, 4, 5], to: "folder/file", on: disk.asStateDisk)
    #expect(disk.durable["folder/file"] == [3, 4, 5])
    #expect(disk.durable.count == 1)
  }

  @Test("if the disk fails, the caller learns of it, and the former file is still there", arguments: 1...3)
  func failure(at call: Int) {
    let disk = Disk([1, 2])
    disk.failing = call
    #expect(throws: StateFileFault(ENOSPC)) { try StateFile.write([3], to: "folder/file", on: disk.asStateDisk) }
    #expect(disk.calls == call)
    #expect(disk.durable["folder/file"] == [1, 2])
  }

  @Test(
    "the system's disk does the same: a file of any size, for its owner alone, and a folder that isn't there is told"
  )
  func system() throws {
    var template = Array("/tmp/state-file-XXXXXX".utf8CString)
    try #require(mkdtemp(&template) != nil)
    let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer { rmdir(folder) }
    let path = folder + "/canvas.secret"
    defer { unlink(path) }
    let secret = (0..<UInt8(ActorKeys.secretBytes)).map { $0 }
    try ActorKeys.write(ActorKeys.temporary().secret, to: path)
    try ActorKeys.write(secret, to: path)
    let read = try #require(try ActorKeys.read(path))
    #expect(read.keys.secret == secret && !read.isOpenToOthers)
    #expect(access(path + ".new", F_OK) != 0)
    #expect(throws: StateFileFault(ENOENT)) { try ActorKeys.write(secret, to: folder + "/none/canvas.secret") }
  }
}
