import Basics
import Glibc

/// The audit log: who did what, for as long as the operator keeps the file. It has one JSON object on each line, in a
/// file of its own.
///
/// It names people by their actor, the label of their token and their address. It never has a token.
struct AuditLog: Sendable {
  /// One act, or one attempt, of a client or an operator.
  struct Deed: Sendable {
    var event: String
    var room: String?
    var actor: String?
    var token: String?
    var address: String
    /// The fields that only this kind of event has.
    var details: [(key: String, value: Logger.Field)] = []
    /// Whether clients can cause lines of this kind as often as they like. If so, each address has a budget for these
    /// lines.
    var isOften = false

    /// All fields except the event.
    var fields: [(key: String, value: Logger.Field)] {
      [("room", .init(room)), ("actor", .init(actor)), ("token", .init(token)), ("address", .text(address))] + details
    }
  }

  private let path: String
  private var descriptor: Int32
  /// Whether the file's last line is incomplete, because the disk was full or a process ended while writing it.
  private var isCut: Bool
  private var refusals = 0
  private var unwritten = 0
  private var budget = LineBudget()

  /// The upper bound on the refusals that get a line of their own in a second. Further ones are only counted, so a
  /// flood of them doesn't fill the disk.
  private static let refusalsASecond = 100

  init(path: String) throws(AuditFault) {
    self.path = path
    descriptor = try AuditLog.open(path)
    isCut = AuditLog.isCut(path)
  }

  /// Opens the file, or a pipe. If the pipe's reader stops for a while, lines are lost, which is an `AuditFault`: a
  /// server that waited for the reader would serve nobody.
  private static func open(_ path: String) throws(AuditFault) -> Int32 {
    let flags = O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK
    var descriptor = Glibc.open(path, O_WRONLY | flags, 0o600)
    // A pipe that nobody reads yet can only be opened for both. What is written waits in it for a reader.
    if descriptor < 0, errno == ENXIO { descriptor = Glibc.open(path, O_RDWR | flags, 0o600) }
    guard descriptor >= 0 else { throw AuditFault(words: String(cString: strerror(errno))) }
    return descriptor
  }

  /// Opens the file again after log rotation. If that fails, lines still go to the old file.
  mutating func reopen() throws(AuditFault) {
    let new = try AuditLog.open(path)
    close(descriptor)
    descriptor = new
    isCut = AuditLog.isCut(path)
  }

  /// Whether a file ends in the middle of a line.
  private static func isCut(_ path: String) -> Bool {
    // The last line of a pipe or a device can't be read, so only a file is checked.
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else { return false }
    let file = Glibc.open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return false }
    defer { close(file) }
    var last: UInt8 = 0
    return pread(file, &last, 1, status.st_size - 1) == 1 && last != UInt8(ascii: "\n")
  }

  /// - Returns: why the line can't be written. `nil` if it was written.
  mutating func write(_ deed: Deed) -> AuditFault? {
    guard !deed.isOften || budget.takes(deed.address) else { return nil }
    return write([("event", .text(deed.event))] + deed.fields)
  }

  /// Writes a line about a refusal, if the budgets allow it. The address's own budget is charged before the budget that
  /// all addresses share. So a flood from one address doesn't use up the lines of all addresses.
  mutating func writeRefusal(_ deed: Deed) -> AuditFault? {
    guard budget.takes(deed.address) else { return nil }
    guard refusals < AuditLog.refusalsASecond else {
      unwritten += 1
      return nil
    }
    refusals += 1
    return write([("event", .text(deed.event))] + deed.fields)
  }

  /// Begins a new budget, and writes how many refusals were only counted. To be called once a second.
  mutating func beginSecond(isEnd: Bool = false) -> AuditFault? {
    defer {
      refusals = 0
      unwritten = 0
    }
    var fault: AuditFault?
    if unwritten > 0 { fault = write([("event", .text("refused more")), ("count", .init(unwritten))]) }
    for (address, count) in budget.takeCounts(isEnd: isEnd) {
      fault = write([("event", .text("more")), ("address", .text(address)), ("count", .init(count))]) ?? fault
    }
    return fault
  }

  private mutating func write(_ fields: [(key: String, value: Logger.Field)]) -> AuditFault? {
    var text = isCut ? "\n" : ""
    text += Logger.jsonLine([("time", .text(WallClock.text(WallClock.milliseconds())))] + fields) + "\n"
    let line = Array(text.utf8)
    // One system call writes the whole line, so that it stays whole while other processes write to the same file.
    let count = Glibc.write(descriptor, line, line.count)
    guard count == line.count else {
      let fault = AuditFault(words: count < 0 ? String(cString: strerror(errno)) : "only a part of a line was written")
      if count > 0 { isCut = true }
      return fault
    }
    isCut = false
    return nil
  }
}

/// Why the audit log can't be written, without its path.
struct AuditFault: Error, Hashable {
  let words: String
}
