import Glibc

enum ProcessEnvironment {
  /// The environment variables of the process.
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
