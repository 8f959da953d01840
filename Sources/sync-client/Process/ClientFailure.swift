/// Why a command failed, for the user.
enum ClientFailure: Error, Hashable, Sendable {
  /// The command line is wrong.
  case usage(String)
  /// The server can't be reached, or has refused the client.
  case couldNotConnect(String, code: String = "not_connected")
  case failed(String, code: String = "failed")
  /// Another command stands in the way.
  case tryAgainLater(String)

  var words: String {
    switch self {
    case .usage(let words), .couldNotConnect(let words, _), .failed(let words, _), .tryAgainLater(let words): words
    }
  }

  /// The error code for programs. It is the server's, if the server sent one.
  var code: String {
    switch self {
    case .usage: "usage"
    case .tryAgainLater: "busy"
    case .couldNotConnect(_, let code), .failed(_, let code): code
    }
  }

  var exitCode: ExitCode {
    switch self {
    case .usage: .wrongWords
    case .couldNotConnect: .couldNotConnect
    case .failed: .failed
    case .tryAgainLater: .tryAgainLater
    }
  }
}

/// The exit code of the process.
struct ExitCode: RawRepresentable, Hashable, Sendable {
  let rawValue: Int32

  static let success = ExitCode(rawValue: 0)
  static let failed = ExitCode(rawValue: 1)
  static let couldNotConnect = ExitCode(rawValue: 2)
  static let wrongWords = ExitCode(rawValue: 64)
  /// The server didn't accept an edit in time, or another command was in the way. The user may try the same command
  /// again.
  static let tryAgainLater = ExitCode(rawValue: 75)
}
