import Glibc

enum ProcessEnvironment {
  /// The variables that the process was started with.
  static var values: [String: String] {
    var values: [String: String] = [:]
    var entry = environ
    while let text = entry.pointee {
      let halves = String(cString: text).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if halves.count == 2 { values[String(halves[0])] = String(halves[1]) }
      entry += 1
    }
    return values
  }
}
