/// Why a command failed, in words for the user.
enum ClientFailure: Error, Hashable, Sendable {
  /// The command line is wrong.
  case usage(String)
  /// The server could not be reached, or refused the client.
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

/// The process's exit code, for the script that called it.
struct ExitCode: RawRepresentable, Hashable, Sendable {
  let rawValue: Int32

  static let success = ExitCode(rawValue: 0)
  static let failed = ExitCode(rawValue: 1)
  static let couldNotConnect = ExitCode(rawValue: 2)
  static let wrongWords = ExitCode(rawValue: 64)
}
