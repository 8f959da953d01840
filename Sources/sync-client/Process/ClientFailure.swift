/// Why a command came to nothing, in words for whoever typed it.
enum ClientFailure: Error, Hashable, Sendable {
  /// The command line can't be understood.
  case usage(String)
  /// The server could not be reached, or would not have us.
  case couldNotConnect(String)
  case failed(String)

  var words: String {
    switch self {
    case .usage(let words), .couldNotConnect(let words), .failed(let words): words
    }
  }

  var exitCode: ExitCode {
    switch self {
    case .usage: .wrongWords
    case .couldNotConnect: .couldNotConnect
    case .failed: .failed
    }
  }
}

/// What a script that called us is told.
struct ExitCode: RawRepresentable, Hashable, Sendable {
  let rawValue: Int32

  static let success = ExitCode(rawValue: 0)
  static let failed = ExitCode(rawValue: 1)
  static let couldNotConnect = ExitCode(rawValue: 2)
  static let wrongWords = ExitCode(rawValue: 64)
}
