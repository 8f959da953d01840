import CanvasCRDT
import Glibc

/// The record of who did what, for as long as the operator keeps it: one JSON object a line, in a file of its own.
///
/// It names people by their actor, the label of their token and their address. It never has a token.
struct AuditLog: Sendable {
  /// What somebody did, or tried to do.
  struct Deed: Sendable {
    var event: StaticString
    var room: String?
    var actor: String?
    var token: String?
    var address: String
    /// What belongs to this event alone.
    var details: [(key: StaticString, value: String)] = []
    /// Whether anybody can do it again and again. Then an address has a budget of such lines.
    var isOften = false
  }

  private let path: String
  private var descriptor: Int32
  private var refusals = 0
  private var unwritten = 0
  private var budget = LineBudget()

  /// A flood of refusals must not fill the disk. The others are a number.
  private static let refusalsASecond = 100

  init(path: String) throws(AuditFault) {
    self.path = path
    descriptor = try AuditLog.open(path)
  }

  private static func open(_ path: String) throws(AuditFault) -> Int32 {
    let descriptor = Glibc.open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw AuditFault(words: String(cString: strerror(errno))) }
    return descriptor
  }

  /// Opens the file anew, after whoever keeps logs has given the old one another name. If that fails, the old file is
  /// written on.
  mutating func reopen() throws(AuditFault) {
    let new = try AuditLog.open(path)
    close(descriptor)
    descriptor = new
  }

  /// - Returns: why nothing could be written, if so.
  mutating func write(_ deed: Deed) -> AuditFault? {
    guard !deed.isOften || budget.takes(deed.address) else { return nil }
    return write { line in
      line.key("event")
      line.value(deed.event)
      for (key, value) in [("room", deed.room), ("actor", deed.actor), ("token", deed.token)]
        as [(StaticString, String?)]
      {
        guard let value else { continue }
        line.key(key)
        line.value(text: Text(value))
      }
      line.key("address")
      line.value(text: Text(deed.address))
      for (key, value) in deed.details {
        line.key(key)
        line.value(text: Text(value))
      }
    }
  }

  mutating func writeRefusal(_ deed: Deed) -> AuditFault? {
    guard refusals < AuditLog.refusalsASecond else {
      unwritten += 1
      return nil
    }
    refusals += 1
    return write(deed)
  }

  /// To be called once a second.
  mutating func beginSecond(isEnd: Bool = false) -> AuditFault? {
    defer {
      refusals = 0
      unwritten = 0
    }
    var fault: AuditFault?
    if unwritten > 0 { fault = write("refused more", count: unwritten) }
    for (address, count) in budget.takeCounts(isEnd: isEnd) {
      fault = write("more", count: count, address: address) ?? fault
    }
    return fault
  }

  private func write(_ event: StaticString, count: Int, address: String? = nil) -> AuditFault? {
    write { line in
      line.key("event")
      line.value(event)
      if let address {
        line.key("address")
        line.value(text: Text(address))
      }
      line.key("count")
      line.value(count)
    }
  }

  private func write(_ fill: (inout JSONWriter) -> Void) -> AuditFault? {
    var writer = JSONWriter(capacity: 256)
    writer.beginObject()
    writer.key("time")
    writer.value(text: Text(WallClock.text(WallClock.now())))
    fill(&writer)
    writer.endObject()
    var line = writer.finish()
    line.append(UInt8(ascii: "\n"))
    // One call, so that a line is whole whoever else writes to the file.
    guard Glibc.write(descriptor, line, line.count) == line.count else {
      return AuditFault(words: String(cString: strerror(errno)))
    }
    return nil
  }
}

/// Why the audit log can't be written, without its path.
struct AuditFault: Error, Hashable {
  let words: String
}
