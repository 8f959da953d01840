import CRelease

/// Which release this is, and of which commit.
public enum Release {
  public static let version = "0.9.0"

  /// The version, and behind it the beginning of the commit where the build was told of one: `0.9.0 (c53fd0030807)`.
  public static let name = name(commit: String(cString: canvas_commit()))

  /// - Parameter commit: what `git archive` has not filled in begins with `$`.
  static func name(commit: String) -> String {
    guard let first = commit.first, first.isHexDigit else { return version }
    let parts = commit.split(separator: "-", maxSplits: 1)
    return "\(version) (\(parts[0].prefix(12))\(parts.count > 1 ? ", changed" : ""))"
  }
}
