/// Remembers whether the database has warned that a commit didn't wait for the standbys. It ignores all other warnings.
final class PostgresNotices {
  private let library: PostgresLibrary
  private var hasWarned = false

  init(_ library: PostgresLibrary) { self.library = library }

  /// - Returns: whether there was such a warning since the last call.
  func takeWarning() -> Bool {
    defer { hasWarned = false }
    return hasWarned
  }

  /// Recognises the warning by the PostgreSQL function that sends it, because its text depends on the database's
  /// language.
  private func add(_ notice: PostgresLibrary.Result) {
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
