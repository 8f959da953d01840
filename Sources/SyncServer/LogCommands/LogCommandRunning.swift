import Glibc
import RoomLog

extension LogCommand {
  /// Carries out the command, and prints what it finds and does.
  /// - Returns: the exit code.
  func run() -> Int32 {
    // Only the owner can read the files that the command makes. The same holds for the files in a server's data
    // directory.
    umask(0o077)
    do throws(StorageFault) {
      if case .move(let target, let room) = action {
        return try LogMove(from: place, to: target, only: room).run() == 0 ? 0 : 1
      }
      switch place {
      case .memory: return 0
      case .postgres(let url):
        if case .backup(let copy) = action { return try LogCommand.backUp(place, to: copy) }
        return LogCommand.verify(try WaitingLog(place), of: PostgresLog.name(of: url))
      case .directory(let directory): return try run(on: directory)
      }
    } catch {
      StandardError.complain("\(error)")
      return 1
    }
  }

  private func run(on directory: String) throws(StorageFault) -> Int32 {
    // A backup of a directory is a single file, which some commands accept in place of the directory.
    let database =
      try action.takesFile && LogCommand.isFile(directory)
      ? directory : LogCommand.checkDatabase(in: directory)
    switch action {
    case .verify: return LogCommand.tell(try LogCommand.inspect(database), of: database)
    case .repair(let room, let cutting):
      let inspection = try LogInspection(of: database)
      guard inspection.faults.isEmpty else {
        for fault in inspection.faults { print("the file: \(fault)") }
        print(
          "\(database): the file itself is damaged, not only a room in it; restore it from a backup, or let "
            + "log move --from \(directory) --to DIRECTORY carry the rooms that can be read to a new one"
        )
        return 1
      }
      return try LogRepair(directory: directory, cutting: cutting).run(room)
    case .backup(let copy):
      if let fault = LogInspection.shortfall(of: database) { throw fault }
      return try LogCommand.backUp(database, to: copy, LogCommand.secret(in: directory))
    case .move: return 0
    }
  }

  /// The secret of a data directory, if it has one. A secret that can't be read is a fault: a copy without the secret
  /// would give everybody another actor.
  static func secret(in directory: String) throws(StorageFault) -> [UInt8]? {
    let path = directory + "/canvas.secret"
    do throws(StateFileFault) { return try ActorKeys.read(path)?.keys.secret } catch {
      throw .unfit("\(path): \(error.words)")
    }
  }

  private static func isFile(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// Reads everything in a database, and applies the records of each room that can be read.
  private static func inspect(_ database: String) throws(StorageFault) -> LogInspection {
    try LogInspection(of: database) { room, answer in
      StoredRooms { answer($0(0)) }.differences(in: room)
    }
  }

  /// Checks that there is a database. Opening a log would create one, which these commands must not do.
  /// - Returns: the path of the database.
  @discardableResult
  static func checkDatabase(in directory: String) throws(StorageFault) -> String {
    let database = directory + "/canvas.db"
    guard access(database, F_OK) != 0 else { return database }
    let error = errno
    if isFile(directory) { throw .unfit("\(directory) is a file; this takes a data directory") }
    guard error == ENOENT else { throw .unfit("\(database): \(String(cString: strerror(error)))") }
    throw .unfit(access(directory, F_OK) == 0 ? "there is no canvas.db in \(directory)" : "there is no \(directory)")
  }

  /// Reads every record of a log, and prints a line for each room that is damaged.
  private static func verify(_ log: WaitingLog, of place: String) -> Int32 {
    defer { log.close() }
    guard let rooms = log.rooms else {
      print("\(place): the rooms can't be listed")
      return 1
    }
    var records = 0
    var damaged = 0
    for room in rooms {
      do throws(LogError) {
        records += try log.ask(.verify(room.room))
        let differences = StoredRooms(log.answer).differences(in: room.room)
        if !differences.isEmpty { damaged += 1 }
        for words in differences { print(words) }
      } catch {
        if case .noSuchRoom = error { continue }
        damaged += 1
        print(error)
      }
    }
    print(
      "\(place): \(rooms.count) rooms with \(records) records, \(damaged == 0 ? "all sound" : "\(damaged) damaged")"
    )
    return damaged == 0 ? 0 : 1
  }

  /// Prints one line for each thing that is wrong, and a last line that sums up.
  private static func tell(_ inspection: LogInspection, of path: String) -> Int32 {
    for fault in inspection.faults { print("the file: \(fault)") }
    for finding in inspection.findings {
      print(
        "\(finding.error); \(finding.opens ? "the room can be used, its history is lost" : "the room can't be used")"
      )
    }
    for words in inspection.differences { print(words) }
    guard inspection.isSound else {
      let count = inspection.faults.count + inspection.findings.count + inspection.differences.count
      print("\(path): \(count) faults in \(inspection.rooms) rooms")
      return 1
    }
    print("\(path): \(inspection.rooms) rooms with \(inspection.records) records, all sound")
    return 0
  }

  /// Copies a database's rooms into a new directory, which a server can use with `--data`.
  private static func backUp(_ database: Configuration.Storage, to directory: String) throws(StorageFault) -> Int32 {
    var directory = directory
    while directory.count > 1, directory.hasSuffix("/") { directory.removeLast() }
    guard !LogBackup.isTaken(directory) else {
      StandardError.complain("\(directory): \(String(cString: strerror(EEXIST)))")
      return 1
    }
    let new = directory + LogBackup.unfinished
    guard NewFile.makeDirectory(new) else {
      let isLeft = errno == EEXIST
      StandardError.complain(
        "\(new): \(isLeft ? "a backup that is not finished; if none is running, remove it" : String(cString: strerror(errno)))"
      )
      return 1
    }
    let move: LogMove
    do throws(StorageFault) {
      move = try LogMove(from: database, to: .directory(new), isBackup: true)
    } catch {
      // If the database can't be reached, the new directory is empty. It is removed then, because the next try would be
      // refused if it existed.
      rmdir(new)
      throw error
    }
    guard let leftOut = move.run() else {
      StandardError.complain("\(new) is not a whole copy; remove it")
      return 1
    }
    do throws(StorageFault) {
      try LogBackup.finish(new, as: directory)
    } catch {
      if LogBackup.isTaken(new) { StandardError.complain("\(new) is a whole copy, but could not be renamed") }
      throw error
    }
    let code = tell(try inspect(directory + "/canvas.db"), of: directory)
    return leftOut == 0 ? code : 1
  }

  private static func backUp(
    _ database: String,
    to copy: String,
    _ secret: [UInt8]?
  ) throws(StorageFault) -> Int32 {
    guard !LogBackup.isTaken(copy) else {
      StandardError.complain("\(copy) already exists")
      return 1
    }
    try LogBackup.make(of: database, to: copy, secret: secret)
    // The copy is verified at once: damage in the original was copied too, and the operator should learn of it now.
    return tell(try inspect(copy), of: copy)
  }
}
