/// What the server writes down of clients and operators: lines of its own log, and of the audit log if there is one.
///
/// What always holds: clients can't cause more lines than their budgets allow. What gets no line of its own is counted,
/// and the count is written by `beginSecond`.
struct Journal {
  private let logger: Logger
  /// `nil` without `--audit`.
  private var audit: AuditLog?
  private var refusals: RefusalLog
  private var joins = LineBudget()
  private var writings = WritingGathering()
  /// Larger than other budgets, because a program that writes to many rooms needs a line for each.
  private var writingLines = LineBudget(linesMax: 1_000)

  init(_ logger: Logger) {
    self.logger = logger
    refusals = RefusalLog(logger)
  }

  /// - Parameter audit: `nil` if no audit log is wanted.
  mutating func use(_ audit: AuditLog?) { self.audit = audit }

  /// Opens the audit log again after log rotation.
  mutating func reopenAudit() {
    do throws(AuditFault) { try audit?.reopen() } catch { complain(error) }
  }

  /// Writes that a client has joined.
  mutating func noteJoin(from address: String, _ fields: @autoclosure () -> KeyValuePairs<String, Logger.Field>) {
    if joins.takes(address) { logger.info("joined", fields()) }
  }

  /// Writes what a client did to the audit log.
  mutating func record(_ deed: @autoclosure () -> AuditLog.Deed) {
    complain(audit?.write(deed()))
  }

  /// Writes what an operator or a program did over HTTP to both logs.
  mutating func tell(_ deed: AuditLog.Deed) {
    logger.info("\(deed.event) over HTTP", deed.fields)
    record(deed)
  }

  /// Tells of a write over HTTP, now or together with the writer's next ones.
  mutating func noteWriting(by writer: WritingGathering.Writer, operations: Int, now: UInt64) {
    guard writings.tells(writer, operations: operations, now: now) else { return }
    tell(writer, requests: 1, operations: operations)
  }

  /// Writes a refusal, and to the audit log too if access or an operator's action was refused.
  mutating func write(_ refusal: Refusal) {
    refusals.write(refusal)
    guard Journal.refusalsOnRecord.contains(refusal.code) else { return }
    complain(
      audit?.writeRefusal(
        AuditLog.Deed(
          event: "refused",
          room: refusal.room,
          actor: refusal.actor,
          token: refusal.token,
          address: refusal.address,
          details: [
            ("code", .text(refusal.code)), ("request", .init(refusal.request)), ("reason", .text(refusal.reason)),
          ],
          isOften: true
        )
      )
    )
  }

  /// Rejected operations are not among them.
  private static let refusalsOnRecord: Set<String> = [
    "no_token", "token_refused", "forbidden", "removed", "too_many", "http_401", "http_403", "http_421",
  ]

  /// Writes one line for many events of a kind, and begins new budgets. To be called once a second, and at the end.
  mutating func beginSecond(now: UInt64, isEnd: Bool = false) {
    refusals.beginSecond(isEnd: isEnd)
    for (address, count) in joins.takeCounts(isEnd: isEnd) {
      logger.info("joined more", ["address": .text(address), "count": .init(count)])
    }
    for sum in writings.takeSums(now: now, isEnd: isEnd) {
      tell(sum.writer, requests: sum.requests, operations: sum.operations)
    }
    for (address, count) in writingLines.takeCounts(isEnd: isEnd) {
      tell(AuditLog.Deed(event: "wrote more", address: address, details: [("count", .init(count))]))
    }
    complain(audit?.beginSecond(isEnd: isEnd))
  }

  private mutating func tell(_ writer: WritingGathering.Writer, requests: Int, operations: Int) {
    guard writingLines.takes(writer.address) else { return }
    tell(
      AuditLog.Deed(
        event: writer.event,
        room: writer.room,
        actor: writer.actor,
        token: writer.token,
        address: writer.address,
        details: [("requests", .init(requests)), ("operations", .init(operations))]
      )
    )
  }

  private func complain(_ fault: AuditFault?) {
    guard let fault else { return }
    logger.error("the audit log can't be written", ["reason": .text(fault.words)])
  }
}
