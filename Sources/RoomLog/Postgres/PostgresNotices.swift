/// Remembers whether the database has warned that a commit didn't wait for the standbys, and why it has ended the
/// connection. It ignores all other messages.
final class PostgresNotices {
  private let library: PostgresLibrary
  private var hasWarned = false
  /// Why the database has ended the connection, in its own words. `nil` if it hasn't said so.
  private(set) var farewell: String?

  init(_ library: PostgresLibrary) { self.library = library }

  /// - Returns: whether there was such a warning since the last call.
  func takeWarning() -> Bool {
    defer { hasWarned = false }
    return hasWarned
  }

  /// To be called when the connection is closed.
  func forget() { (hasWarned, farewell) = (false, nil) }

  /// Takes in an error, after which the database may have ended the connection.
  func noteEnd(_ error: PostgresLibrary.Result) {
    let severity = library.text(PostgresLibrary.severityField, of: error)
    if severity == "FATAL" || severity == "PANIC" { farewell = library.text(PostgresLibrary.messageField, of: error) }
  }

  /// Recognises the warning by the PostgreSQL function that sends it, because its text depends on the database's
  /// language.
  private func add(_ notice: PostgresLibrary.Result) {
    // If no request waits for an answer, libpq takes the database's last error for a notice.
    noteEnd(notice)
    let function = library.text(PostgresLibrary.functionField, of: notice)
    if library.text(PostgresLibrary.severityField, of: notice) == "WARNING",
      function.isEmpty || function == "SyncRepWaitForLSN"
    {
      hasWarned = true
    }
  }

  /// The callback for libpq. Its context is a `PostgresNotices`.
  static let receiver: PostgresLibrary.NoticeReceiver = { context, notice in
    guard let context, let notice else { return }
    Unmanaged<PostgresNotices>.fromOpaque(context).takeUnretainedValue().add(notice)
  }
}
