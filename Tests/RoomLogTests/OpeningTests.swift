import CSQLite
import Glibc
import Synchronization
import Testing

@testable import RoomLog

@Suite("Opening a directory")
final class OpeningTests {
  private let directory = temporaryDirectory()
  private var path: String { directory + "/canvas.db" }

  deinit { remove(directory: directory) }

  private func fault(_ options: SQLiteOptions = SQLiteOptions()) -> StorageFault? {
    do throws(StorageFault) {
      let events = EventCollector()
      let log = try SQLiteLog(directory: directory, options: options) { events.take($0) }
      log.close()
      _ = events.closed()
      return nil
    } catch {
      return error
    }
  }

  /// Creates a log with one room of some size, and closes the log.
  private func fill() throws {
    let bench = try LogBench(.sqlite, directory: directory, keepsDirectory: true)
    try bench.append("demo", (0..<200).map { [UInt8](repeating: UInt8($0), count: 300) })
    bench.close()
  }

  private func write(_ content: [UInt8], to path: String? = nil) {
    let file = open(path ?? self.path, O_CREAT | O_TRUNC | O_WRONLY, 0o600)
    _ = Glibc.write(file, content, content.count)
    close(file)
  }

  @Test("files that root makes belong to the owner of the directory", .enabled(if: geteuid() == 0))
  func owner() throws {
    // The number of no user in particular.
    let user: uid_t = 54_321
    try #require(chown(directory, user, user) == 0)
    try fill()
    try LogBackup.make(of: path, to: directory + "/copy.db")
    // A file that exists keeps its owner.
    let stranger = directory + "/canvas.lock.old"
    write([1], to: stranger)
    for name in ["canvas.lock", "canvas.db", "copy.db"] {
      var status = stat()
      try #require(stat(directory + "/" + name, &status) == 0)
      #expect(status.st_uid == user && status.st_gid == user, "\(name)")
    }
    let descriptor = NewFile.open(orCreate: stranger)
    defer { close(descriptor) }
    var status = stat()
    #expect(fstat(descriptor, &status) == 0 && status.st_uid == 0)
    // A directory too, with all that is made in it.
    let new = directory + "/new"
    _ = try DirectoryLock(directory: new)
    for path in [new, new + "/canvas.lock"] { #expect(stat(path, &status) == 0 && status.st_uid == user, "\(path)") }
  }

  @Test("a file that was cut short is refused, however much is left of it", arguments: [0, 50, 4_096, 20_480, nil])
  func truncated(length: Int?) throws {
    try fill()
    let whole = try #require(SystemCalls.file(at: path)).bytes
    let length = length ?? whole - 1
    try #require(truncate(path, length) == 0)
    let fault = fault()
    #expect(
      length < 100
        ? fault?.isTruncated == true : fault == .truncated(path: path, bytes: length, bytesExpected: whole)
    )
    if let fault, length > 0 { #expect(throws: fault) { try LogInspection(of: path) } }
    #expect(SystemCalls.file(at: path)?.bytes == length)
  }

  @Test("pages of a file that was cut short count as logged only in frames since the log was begun anew")
  func oldFrames() {
    func fault(salts: [UInt8]) -> StorageFault? {
      var database = [UInt8](repeating: 0, count: 4_096)
      database.replaceSubrange(0..<18, with: Array("SQLite format 3\0".utf8) + [0x10, 0])
      database[31] = 3
      var log = [UInt8](repeating: 0, count: 16) + [UInt8](repeating: 7, count: 8) + [UInt8](repeating: 0, count: 8)
      for (page, salt) in zip([2, 3] as [UInt8], salts) {
        log += [0, 0, 0, page, 0, 0, 0, 0] + [UInt8](repeating: salt, count: 8)
        log += [UInt8](repeating: 0, count: 8 + 4_096)
      }
      let files = ["db": database, "db-wal": log]
      var look = FileLook()
      look.identity = { FileIdentity(device: 0, number: 0, bytes: files[$0]?.count ?? 0) }
      look.read = { path, count, place in
        guard let file = files[path], file.count >= place + count else { return nil }
        return Array(file[place..<place + count])
      }
      return Shortfall.fault(at: "db", look)
    }
    // A page of 65,536 bytes is written as 1.
    #expect(
      Shortfall.size([UInt8](repeating: 0, count: 17) + [1] + [UInt8](repeating: 0, count: 82)).pageBytes == 65_536
    )
    #expect(fault(salts: [7, 7]) == nil)
    #expect(fault(salts: [7, 6]) == .truncated(path: "db", bytes: 4_096, bytesExpected: 3 * 4_096))
  }

  @Test("a header that counts billions of pages is refused for what it is")
  func hugeHeader() throws {
    try fill()
    let file = open(path, O_WRONLY)
    try #require(pwrite(file, [0xFF, 0xFF, 0xFF, 0xFF] as [UInt8], 4, 28) == 4)
    close(file)
    #expect(fault()?.isTruncated == true)
  }

  @Test("a missing database is not replaced by an empty one")
  func missing() throws {
    try fill()
    unlink(path)
    #expect(fault() == .missing(path: path))
    #expect(SystemCalls.file(at: path) == nil)
    unlink(directory + "/canvas.lock")
    #expect(fault() == nil)
  }

  @Test("a copy of the database has the secret by which people are known, and one that is given takes its place")
  func secret() throws {
    let secret = [UInt8](1...32)
    func opened(_ directory: String, _ given: [UInt8]?, offered: [UInt8]? = nil) throws -> [UInt8]? {
      let options = SQLiteOptions { ($0.secret, $0.offeredSecret) = (given, offered) }
      let bench = try LogBench(.sqlite, options: options, directory: directory, keepsDirectory: true)
      defer { bench.close() }
      return bench.events.all.first?.secret
    }
    let drawn = try #require(try opened(directory, nil))
    #expect(drawn.count == 32 && drawn != [UInt8](repeating: 0, count: 32))
    #expect(try opened(directory, nil, offered: secret) == drawn, "only a log without one takes what is offered")
    #expect(try opened(directory, secret, offered: drawn) == secret)
    let new = temporaryDirectory()
    defer { remove(directory: new) }
    for offered in [secret, nil] { #expect(try opened(new, nil, offered: offered) == secret) }
    let other = temporaryDirectory()
    defer { remove(directory: other) }
    try LogBackup.make(of: path, to: other + "/canvas.db")
    #expect(try opened(other, nil) == secret)
    unlink(other + "/canvas.db")
    try LogBackup.make(of: path, to: other + "/canvas.db", secret: drawn)
    #expect(try opened(other, nil) == drawn)
  }

  @Test("a copy has its name only when it has a mark of its own, even after an earlier one was killed")
  func unfinishedCopy() throws {
    try fill()
    let other = temporaryDirectory()
    defer { remove(directory: other) }
    let copy = other + "/copy.db"
    let looks = Mutex<[Bool]>([])
    var options = SQLiteOptions()
    options.random = {
      looks.withLock { $0.append(SystemCalls.file(at: copy) == nil) }
      return 5
    }
    // The files that a killed backup can leave behind, with a mode that somebody gave them since.
    for end in ["", "-journal"] { fclose(fopen(copy + LogBackup.unfinished + end, "w")) }
    try #require(chmod(copy + LogBackup.unfinished, 0o644) == 0)
    try LogBackup.make(of: path, to: copy, options: options)
    #expect(looks.withLock { $0 } == [true])
    var status = stat()
    #expect(stat(copy, &status) == 0 && status.st_mode & 0o777 == 0o600)
    #expect(try LogInspection(of: copy).isSound)
    #expect(SystemCalls.file(at: copy + LogBackup.unfinished) == nil)
    // A file that appears at the target while the backup is being made must not be overwritten.
    options.random = {
      fclose(fopen(other + "/second.db", "w"))
      return 5
    }
    #expect(throws: StorageFault.self) { try LogBackup.make(of: path, to: other + "/second.db", options: options) }
    #expect(SystemCalls.file(at: other + "/second.db")?.bytes == 0)
    // Neither must a link, even if it leads nowhere.
    symlink(other + "/nowhere", other + "/third.db")
    options.random = { 5 }
    #expect(throws: StorageFault.self) { try LogBackup.make(of: path, to: other + "/third.db", options: options) }
    #expect(SystemCalls.file(at: other + "/third.db") == nil && LogBackup.isTaken(other + "/third.db"))
  }

  @Test("two processes don't make the same copy at the same time")
  func twoCopies() throws {
    try fill()
    let other = temporaryDirectory()
    defer { remove(directory: other) }
    let copy = other + "/copy.db"
    let path = path
    var options = SQLiteOptions()
    options.random = {
      #expect(throws: StorageFault.locked(path: copy + LogBackup.unfinished)) { try LogBackup.make(of: path, to: copy) }
      return 5
    }
    try LogBackup.make(of: path, to: copy, options: options)
    #expect(try LogInspection(of: copy).isSound)
  }

  @Test("a database of another program is left alone")
  func foreign() throws {
    write([UInt8](repeating: 7, count: 9_000))
    #expect(fault() == .notADatabase(path: path))
    #expect(SystemCalls.file(at: path)?.bytes == 9_000)
    let table = "CREATE TABLE recipes(name TEXT)"
    for text in [table, "PRAGMA user_version=1; \(table)", "PRAGMA application_id=7", "PRAGMA user_version=1"] {
      unlink(path)
      try Database(path: path, mayCreate: true, fileSystem: nil).run(text)
      #expect(fault() == .otherDatabase(path: path), "\(text)")
    }
  }

  @Test("a database of a newer server is refused, and the error says so")
  func newerSchema() throws {
    try fill()
    try Database(path: path, mayCreate: false, fileSystem: nil).run("PRAGMA user_version=9")
    #expect(fault() == .newerSchema(path: path, version: 9, newestKnown: 1))
  }

  /// The schema steps of the next version of the server. The last step fails if it runs twice, because it inserts a row
  /// with a unique name.
  private static let laterSteps =
    Schema.steps + ["ALTER TABLE rooms ADD COLUMN colour TEXT; INSERT INTO marks(name, value) VALUES('colours', 1);"]

  private func later(_ change: (inout SQLiteOptions) -> Void = { _ in }) -> SQLiteOptions {
    var options = SQLiteOptions()
    options.schemaSteps = OpeningTests.laterSteps
    change(&options)
    return options
  }

  private func number(_ query: String) throws -> Int64 {
    try Database(path: path, mayCreate: false, fileSystem: nil).number(query)
  }

  @Test("a database of an earlier server is upgraded once, with everything in it")
  func earlierSchema() throws {
    try fill()
    #expect(try number("PRAGMA user_version") == Int64(Schema.newest))
    for _ in 0..<2 {
      let bench = try LogBench(.sqlite, options: later(), directory: directory, keepsDirectory: true)
      #expect(try bench.records("demo").count == 200)
      #expect(try bench.summaries().map(\.epoch) == [LogBench.epoch])
      bench.close()
      #expect(try number("PRAGMA user_version") == Int64(Schema.newest) + 1)
      #expect(try number("SELECT count(*) FROM rooms WHERE colour IS NULL") == 1)
    }
    // Now that the schema is upgraded, a server of the earlier version refuses the database.
    #expect(fault() == .newerSchema(path: path, version: Schema.newest + 1, newestKnown: Schema.newest))
    let new = temporaryDirectory()
    try LogBench(.sqlite, options: later(), directory: new).append("demo", [bytes("in a new directory")])
  }

  @Test("a step that fails in the middle leaves nothing behind, and is done whole the next time")
  func failedStep() throws {
    try fill()
    let failing = later {
      $0.schemaSteps[$0.schemaSteps.count - 1] +=
        "CREATE TABLE half(number INTEGER) STRICT; INSERT INTO nowhere VALUES(1);"
    }
    #expect(fault(failing) != nil)
    #expect(try number("PRAGMA user_version") == Int64(Schema.newest))
    #expect(try number("SELECT count(*) FROM sqlite_schema WHERE name='half'") == 0)
    #expect(try number("SELECT count(*) FROM marks WHERE name='colours'") == 0)
    #expect(fault(later()) == nil)
    #expect(try number("SELECT count(*) FROM records") == 200)
  }

  @Test("a disk that fails during an upgrade costs nothing", arguments: [false, true])
  func failedDisk(isSync: Bool) throws {
    try fill()
    let disk = FaultyDisk(directory: directory)
    let options = later { $0.fileSystem = FaultyDisk.name }
    if isSync { disk.failSyncs(SQLITE_IOERR | (4 << 8)) } else { disk.failWrites(SQLITE_FULL) }
    #expect(fault(options) != nil)
    #expect(disk.faults > 0)
    disk.failWrites(nil)
    disk.failSyncs(nil)
    #expect(fault(options) == nil)
    #expect(try number("PRAGMA user_version") == Int64(Schema.newest) + 1)
    #expect(try number("SELECT count(*) FROM records") == 200)
  }

  @Test("a second server is refused, and learns which process has the directory")
  func inUse() throws {
    let first = try CrashWriter("open", directory: directory)
    #expect(first.line() == "opened")
    #expect(fault() == .inUse(path: directory, process: first.process))
    first.finish()
    #expect(fault() == nil)
    let second = try LogBench(.sqlite, directory: directory, keepsDirectory: true)
    #expect(fault() == .inUse(path: directory, process: getpid()))
    second.close()
  }

  @Test("a directory without permission to write is refused, and the error says so")
  func noRight() throws {
    try fill()
    chmod(directory, 0o555)
    defer { chmod(directory, 0o755) }
    #expect(try CrashWriter("nobody", directory: directory).finish() == ["no permission to write \(directory)"])
    #expect(
      try CrashWriter("nobody", directory: directory + "/below").finish()
        == ["no permission to write \(directory)/below"]
    )
    let elsewhere = try CrashWriter("open", directory: path + "/below").finish()
    #expect(elsewhere == ["\(path)/below doesn't exist and can't be created"])
  }

  @Test("a read-only file system is refused, and the error says so", .enabled(if: FaultTests.canMount))
  func readOnly() throws {
    try #require(mount("none", directory, "tmpfs", UInt(MS_RDONLY), "size=1m") == 0)
    defer {
      umount(directory)
      remove(directory: directory)
    }
    #expect(fault() == .readOnly(path: directory))
  }

  @Test("rooms from a backup get new epochs, so that no cursor is misread; others keep theirs")
  func restored() throws {
    try fill()
    let bench = try LogBench(.sqlite, directory: directory, keepsDirectory: true)
    #expect(try bench.summaries().map(\.epoch) == [LogBench.epoch])
    bench.close()
    let copy = temporaryDirectory()
    defer { remove(directory: copy) }
    try Database(path: path, mayCreate: false, fileSystem: nil).run("VACUUM INTO '\(copy)/canvas.db'")
    let restored = try LogBench(.sqlite, directory: copy, keepsDirectory: true)
    #expect(try restored.summaries().map(\.epoch) != [LogBench.epoch])
    #expect(try restored.records("demo").count == 200)
    restored.close()

    // The database is opened and changed after the copy was made. Then the copy replaces it.
    let again = try LogBench(.sqlite, directory: directory, keepsDirectory: true)
    try again.append("demo", [bytes("newer than the copy")])
    again.close()
    unlink(path)
    try Database(path: copy + "/canvas.db", mayCreate: false, fileSystem: nil).run("VACUUM INTO '\(path)'")
    let back = try LogBench(.sqlite, directory: directory, keepsDirectory: true)
    #expect(try back.summaries().map(\.epoch) != [LogBench.epoch])
    back.close()
  }

  @Test("rooms get new epochs once when they are moved out of a database's backup; served ones and others keep theirs")
  func moved() throws {
    try fill()
    func epochs(_ purpose: SQLiteOptions.Purpose) throws -> [UInt64] {
      let options = SQLiteOptions { $0.purpose = purpose }
      let bench = try LogBench(.sqlite, options: options, directory: directory, keepsDirectory: true)
      defer { bench.close() }
      return try bench.summaries().map(\.epoch)
    }
    for purpose in [.move, .backup, .serving] as [SQLiteOptions.Purpose] {
      #expect(try epochs(purpose) == [LogBench.epoch], "\(purpose)")
    }
    let moved = try epochs(.move)
    #expect(moved != [LogBench.epoch])
    #expect(try [.move, .serving].map(epochs) == [moved, moved])
  }

  @Test("a backup that is put beside the write-ahead log of the database before it is refused, and nothing is mixed")
  func restoredBesideWriteAhead() throws {
    try fill()
    let (log, copy) = (path + "-wal", directory + "/copy.db")
    let bench = try LogBench(.sqlite, directory: directory, keepsDirectory: true)
    try LogBackup.make(of: path, to: copy)
    try bench.append("demo", [bytes("newer than the backup")])
    // What a server leaves that is killed now.
    let left = try (database: content(path), log: content(log))
    bench.close()
    #expect(access(log, F_OK) != 0 && !left.log.isEmpty)
    write(left.log, to: log)
    let backup = try content(copy)
    write(backup)
    #expect(fault() == .otherWriteAhead(path: path))
    #expect(try content(path) == backup && content(log) == left.log, "both are left as they are")

    // The database that the write-ahead log belongs to opens with it, even beside another lock file.
    write(left.database)
    #expect(try reopened { try $0.records("demo").count } == 201)
    write(left.database)
    write(left.log, to: log)
    unlink(directory + "/canvas.lock")
    #expect(try reopened { try $0.records("demo").count } == 201)

    write(backup)
    #expect(try reopened { try $0.records("demo").count } == 200)
  }

  private func reopened<Found>(_ find: (LogBench) throws -> Found) throws -> Found {
    let bench = try LogBench(.sqlite, directory: directory, keepsDirectory: true)
    defer { bench.close() }
    return try find(bench)
  }

  private func content(_ path: String) throws -> [UInt8] {
    let file = try #require(SystemCalls.file(at: path))
    return try #require(SystemCalls.read(path, count: file.bytes, at: 0))
  }

  @Test("the space of a deleted room is given back")
  func space() throws {
    let bench = try LogBench(.sqlite, directory: directory)
    for _ in 0..<20 { try bench.append("large", (0..<100).map { _ in [UInt8](repeating: 3, count: 10_000) }) }
    try bench.append("small", [bytes("stays")])
    try bench.snapshot("large", at: 100, [UInt8](repeating: 1, count: 300_000))
    try bench.delete("large")
    let other = try Database(path: bench.directory + "/canvas.db", mayCreate: false, fileSystem: nil)
    var pages: Int64 = .max
    for _ in 0..<50_000 where pages > 1_500 {
      _ = try bench.summaries()
      pages = try other.number("PRAGMA page_count")
    }
    #expect(pages <= 1_500)
    #expect(try other.number("SELECT count(*) FROM records") == 1)
    #expect(try other.number("SELECT count(*) FROM snapshot_parts") == 0)
    #expect(try other.number("SELECT count(*) FROM dropped") == 0)
    #expect(try bench.records("small").count == 1)
  }

  @Test("it counts what an operator wants to know")
  func statistics() throws {
    let bench = try LogBench(.sqlite, directory: directory)
    for index in 0..<10 { try bench.append("room-\(index % 2)", [bytes("a"), bytes("b")]) }
    let figures = bench.log.statistics()
    #expect(figures.commitMicroseconds.counts.reduce(0, +) == 10)
    let directory = try #require(figures.directory)
    #expect(directory.databaseBytes + directory.writeAheadBytes > 4_096)
    #expect(figures.queuedBytes == 0)
  }
}

extension StorageFault {
  fileprivate var isTruncated: Bool { if case .truncated = self { true } else { false } }
}
