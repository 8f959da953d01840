import Glibc

/// Writes lines to standard error: `2026-11-20T17:21:01.123Z info listening host=127.0.0.1 port=8080`, or the same as
/// one JSON object a line.
///
/// A line is written by one call, so that those of several threads don't mix.
struct Logger: Sendable {
  enum Level: Int, Comparable, Sendable {
    case error
    case warning
    case info
    case debug

    init?(_ text: String) {
      switch text {
      case "error": self = .error
      case "warning": self = .warning
      case "info": self = .info
      case "debug": self = .debug
      default: return nil
      }
    }

    var word: String {
      switch self {
      case .error: "error"
      case .warning: "warning"
      case .info: "info"
      case .debug: "debug"
      }
    }

    static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
  }

  enum Format: String, Sendable {
    case text
    case json
  }

  /// What belongs to a line beside its words.
  enum Field: Sendable {
    case text(String)
    case number(Int64)

    init(_ number: some BinaryInteger) { self = .number(Int64(clamping: number)) }
  }

  let level: Level
  let format: Format

  func writes(_ level: Level) -> Bool { level <= self.level }

  func error(_ words: String, _ fields: KeyValuePairs<String, Field> = [:]) { write(.error, words, fields) }
  func warning(_ words: String, _ fields: KeyValuePairs<String, Field> = [:]) { write(.warning, words, fields) }
  func info(_ words: String, _ fields: KeyValuePairs<String, Field> = [:]) { write(.info, words, fields) }

  /// The line is only made where it is written.
  func debug(_ words: @autoclosure () -> String, _ fields: @autoclosure () -> KeyValuePairs<String, Field> = [:]) {
    guard writes(.debug) else { return }
    write(.debug, words(), fields())
  }

  private func write(_ level: Level, _ words: String, _ fields: KeyValuePairs<String, Field>) {
    guard writes(level) else { return }
    var line = Array(self.line(level, words, fields, at: WallClock.now()).utf8)
    line.append(UInt8(ascii: "\n"))
    var sent = 0
    while sent < line.count {
      let count = line.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress! + sent, $0.count - sent) }
      guard count > 0 || errno == EINTR else { return }
      sent += max(count, 0)
    }
  }

  func line(
    _ level: Level,
    _ words: String,
    _ fields: KeyValuePairs<String, Field>,
    at milliseconds: UInt64
  ) -> String {
    let time = WallClock.text(milliseconds)
    switch format {
    case .text:
      var line = "\(time) \(level.word) \(words.loggable)"
      for (name, field) in fields {
        switch field {
        case .text(let text): line += " \(name)=\(text.loggableValue)"
        case .number(let number): line += " \(name)=\(number)"
        }
      }
      return line
    case .json:
      var line = "{\"time\":\"\(time)\",\"level\":\"\(level.word)\",\"message\":\(words.jsonQuoted)"
      for (name, field) in fields {
        switch field {
        case .text(let text): line += ",\(name.jsonQuoted):\(text.jsonQuoted)"
        case .number(let number): line += ",\(name.jsonQuoted):\(number)"
        }
      }
      return line + "}"
    }
  }
}

extension String {
  /// Without line breaks or other controls, by which a client could write lines of its own.
  fileprivate var loggable: String {
    guard unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else { return self }
    return String(String.UnicodeScalarView(unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
  }

  /// Quoted where it would not be one word.
  fileprivate var loggableValue: String {
    let isWord = !isEmpty && utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") }
    return isWord ? self : jsonQuoted
  }

  var jsonQuoted: String {
    var quoted = "\""
    for scalar in unicodeScalars {
      switch scalar {
      case "\"", "\\": quoted += "\\\(scalar)"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F:
        let digits = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}
