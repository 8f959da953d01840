/// Whether a connection warns that a commit was told not to wait for the standbys. Other warnings, such as those about
/// vacuuming, don't concern a node.
final class PostgresNotices {
  private let library: PostgresLibrary
  private var hasWarned = false

  init(_ library: PostgresLibrary) { self.library = library }

  /// - Returns: whether it has since the last call.
  func takeWarning() -> Bool {
    defer { hasWarned = false }
    return hasWarned
  }

  /// The words of a warning depend on the database's language. So it is known by the function of PostgreSQL that warns.
  private func add(_ notice: PostgresLibrary.Result) {
    let function = library.text(PostgresLibrary.functionField, of: notice)
    if library.text(PostgresLibrary.severityField, of: notice) == "WARNING",
      function.isEmpty || function == "SyncRepWaitForLSN"
    {
      hasWarned = true
    }
  }

  /// To be given to a connection together with a `PostgresNotices`.
  static let receiver: PostgresLibrary.NoticeReceiver = { context, notice in
    guard let context, let notice else { return }
    Unmanaged<PostgresNotices>.fromOpaque(context).takeUnretainedValue().add(notice)
  }
}
