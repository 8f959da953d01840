import CRelease

/// The version and the commit of this program.
public enum Release {
  public static let version = "0.9.0"

  /// The version and the first twelve digits of the commit: `0.9.0 (c53fd0030807)`. Only the version if the build
  /// didn't know the commit.
  public static let name = name(commit: String(cString: canvas_commit()))

  /// - Parameter commit: begins with `$` if `git archive` has not filled it in.
  static func name(commit: String) -> String {
    guard let first = commit.first, first.isHexDigit else { return version }
    let parts = commit.split(separator: "-", maxSplits: 1)
    return "\(version) (\(parts[0].prefix(12))\(parts.count > 1 ? ", changed" : ""))"
  }
}
