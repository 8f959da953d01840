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
    "the folder in which the file is made durable is the file's",
    arguments: [("file", "."), ("/file", "/"), ("/a/b/file", "/a/b")]
  )
  func folders(path: String, folder: String) throws {
    var synced: [String] = []
    let disk = StateDisk(
      create: { _, _ in 0 },
      rename: { _, _ in 0 },
      syncFolder: {
        synced.append($0); return 0
      }
    )
    try StateFile.write([], to: path, on: disk)
    #expect(synced == [folder])
  }

  @Test(
    "a secret is 64 digits in lower case, and one that others may read is told",
    arguments: [("a", 0o600, false), ("0", 0o640, true), ("9", 0o604, true)]
  )
  func secrets(digit: String, mode: mode_t, isOpen: Bool) throws {
    let folder = try TemporaryFolder()
    let digits = Array((String(repeating: digit, count: 64) + "\n").utf8)
    let read = try #require(try ActorKeys.read(folder.file("canvas.secret", digits, mode: mode)))
    #expect(read.keys.secret == Array(repeating: UInt8(digit + digit, radix: 16)!, count: 32))
    #expect(read.isOpenToOthers == isOpen)
  }

  @Test(
    "what is no secret is refused, and a missing file is none",
    arguments: [
      "", String(repeating: "a", count: 63), String(repeating: "a", count: 65), String(repeating: "A", count: 64),
      String(repeating: "g", count: 64), "\n" + String(repeating: "a", count: 30), String(repeating: "+1", count: 32),
    ]
  )
  func noSecrets(content: String) throws {
    let folder = try TemporaryFolder()
    #expect(throws: StateFileFault(words: "this is not a secret of 64 hexadecimal digits")) {
      try ActorKeys.read(folder.file("canvas.secret", Array(content.utf8)))
    }
    #expect(try ActorKeys.read(folder.path + "/none") == nil)
    #expect(try ActorKeys.read(folder.path + "/canvas.secret/none") == nil)
    #expect(throws: StateFileFault.self) { try ActorKeys.read(folder.path) }
  }

  @Test("locks outlast a restart, and only names of rooms are locks")
  func locks() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/canvas.locks"
    var locks = try RoomLocks(path: path)
    #expect(locks.names.isEmpty)
    for room in ["b", "a", "c"] { locks.set(room, isLocked: true) }
    locks.set("c", isLocked: false)
    #expect(locks.store() == nil)
    let later = try RoomLocks(path: path)
    #expect(later.names == ["a", "b"] && later.contains("a") && !later.contains("c"))
    #expect(later.differences(from: RoomLocks(["b", "d"])) == ["a", "d"])
    for content in ["a b\n", "a\n\nb\n"] {
      #expect(throws: StateFileFault.self) { try RoomLocks(path: folder.file("others", Array(content.utf8))) }
    }
    var lost = try RoomLocks(path: folder.path + "/none/canvas.locks")
    lost.set("a", isLocked: true)
    #expect(lost.store() == StateFileFault(ENOENT))
    #expect(RoomLocks(["a"]).store() == nil, "the log stores these")
  }

  @Test(
    "the system's disk does the same: a file of any size, for its owner alone, and a folder that isn't there is told"
  )
  func system() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/canvas.secret"
    let secret = (0..<UInt8(ActorKeys.secretBytes)).map { $0 }
    try ActorKeys.write(ActorKeys.temporary().secret, to: path)
    try ActorKeys.write(secret, to: path)
    let read = try #require(try ActorKeys.read(path))
    #expect(read.keys.secret == secret && !read.isOpenToOthers)
    #expect(access(path + ".new", F_OK) != 0)
    #expect(throws: StateFileFault(ENOENT)) { try ActorKeys.write(secret, to: folder.path + "/none/canvas.secret") }
  }
}
