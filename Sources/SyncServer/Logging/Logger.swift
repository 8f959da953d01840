import Basics
import CanvasCRDT
import Glibc
import Synchronization

/// Writes lines to standard error: `2026-11-20T17:21:01.123Z info listening host=127.0.0.1 port=8080`, or each as one
/// JSON object.
///
/// Each line is written by one system call, so that lines of several threads don't mix. Lines that are alike are
/// gathered: see `LineGathering`.
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

  /// The value of one field. A line has fields in addition to its words.
  enum Field: Sendable {
    case text(String)
    case number(Int64)

    /// There is no value, so the field is left out.
    case absent

    init(_ number: some BinaryInteger) { self = .number(Int64(clamping: number)) }
    init(_ text: String?) { self = text.map { .text($0) } ?? .absent }

    fileprivate func cut(toBytes bytesMax: Int) -> Field {
      if case .text(let text) = self { .text(text.cut(toBytes: bytesMax)) } else { self }
    }
  }

  /// Which lines with the same words count as alike. Of lines that are alike, only the first is written.
  enum Alike: Sendable {
    /// No two lines are alike, so every line is written. Each line reports one act, and the person who acted might be
    /// waiting to see the line.
    case none
    /// Lines are alike if all their fields are the same.
    case byAll
    /// Lines are alike if these fields are the same.
    case by([String])
  }

  /// The level of the least important lines that are written. `nil` if no lines are.
  let level: Level?
  let format: Format
  private let gathering = Gathering()

  init(level: Level?, format: Format) {
    self.level = level
    self.format = format
  }

  func writes(_ level: Level) -> Bool { self.level.map { level <= $0 } ?? false }

  func error(_ words: String, _ fields: KeyValuePairs<String, Field> = [:], alike: Alike = .byAll) {
    write(.error, words, fields, alike)
  }

  func warning(_ words: String, _ fields: KeyValuePairs<String, Field> = [:], alike: Alike = .byAll) {
    write(.warning, words, fields, alike)
  }

  func info(_ words: String, _ fields: KeyValuePairs<String, Field> = [:], alike: Alike = .none) {
    write(.info, words, fields, alike)
  }

  /// Writes a line about one event, with fields that the caller has listed.
  func info(_ words: String, _ fields: [(key: String, value: Field)]) {
    guard writes(.info) else { return }
    write(line(.info, words, ordered: fields, at: WallClock.milliseconds()))
  }

  /// The text of the line is made only if the line is written.
  func debug(_ words: @autoclosure () -> String, _ fields: @autoclosure () -> KeyValuePairs<String, Field> = [:]) {
    guard writes(.debug) else { return }
    write(.debug, words(), fields(), .none)
  }

  private func write(_ level: Level, _ words: String, _ fields: KeyValuePairs<String, Field>, _ alike: Alike) {
    guard writes(level) else { return }
    let now = Moment.now()
    if let (kind, shared) = self.kind(level, words, fields, alike) {
      let isCounted = gathering.lines.withLock { lines in
        if lines.counts(kind, now: now) { return true }
        lines.begin(kind, .init(level, words, shared, now: now))
        return false
      }
      if isCounted { return }
    }
    write(line(level, words, fields, at: now.wallMilliseconds))
  }

  // MARK: Lines that are alike

  /// A key: lines with the same key are alike. `nil` for a line that never counts as being like another one.
  private func kind(
    _ level: Level,
    _ words: String,
    _ fields: KeyValuePairs<String, Field>,
    _ alike: Alike
  ) -> (kind: String, fields: [(key: String, value: Field)])? {
    let shared: [(key: String, value: Field)]
    switch alike {
    case .none: return nil
    case .byAll: shared = Array(fields)
    case .by(let names): shared = fields.filter { names.contains($0.key) }
    }
    return (line(level, words, ordered: shared, at: 0), shared)
  }

  /// Counts a line of the level info, if a line like it was written a short while ago. For callers that limit by
  /// themselves how many lines they write.
  func counts(_ words: String, _ fields: KeyValuePairs<String, Field>, alike: Alike) -> Bool {
    guard writes(.info), let (kind, _) = kind(.info, words, fields, alike) else { return false }
    return gathering.lines.withLock { $0.counts(kind, now: .now()) }
  }

  /// Writes a line for each count whose time is over. To be called once a second, and at the end.
  func writeSums(isEnd: Bool = false) {
    let now = Moment.now()
    for sum in gathering.lines.withLock({ $0.takeSums(now: now, isEnd: isEnd) }) {
      write(line(of: sum, at: now.wallMilliseconds))
    }
  }

  func line(of sum: LineGathering.Sum, at milliseconds: UInt64) -> String {
    var fields = sum.fields
    fields.insert((key: "like", value: .text(sum.words)), at: 0)
    fields.append((key: "count", value: .init(sum.count)))
    fields.append((key: "last", value: .text(WallClock.text(sum.lastMilliseconds))))
    return line(sum.level, "… and \(sum.count) more like this in \(sum.seconds) s", ordered: fields, at: milliseconds)
  }

  /// State that all copies of a logger share.
  private final class Gathering: Sendable {
    let lines = Mutex(LineGathering())
    let output = Mutex(Output())
  }

  // MARK: Writing

  private struct Output {
    var pipe = LogPipe()
    /// How many lines could not be written since the last one that was.
    var unwritten = 0
  }

  private func write(_ text: String) {
    gathering.output.withLock { output in
      if output.unwritten > 0 {
        let words = "… \(output.unwritten) lines are missing here: the disk was full, or nobody read them in time"
        guard output.pipe.write(line(.warning, words, [:], at: WallClock.milliseconds())) else {
          output.unwritten += 1
          return
        }
        output.unwritten = 0
      }
      if !output.pipe.write(text) { output.unwritten += 1 }
    }
  }

  func line(
    _ level: Level,
    _ words: String,
    _ fields: KeyValuePairs<String, Field>,
    at milliseconds: UInt64
  ) -> String {
    line(level, words, ordered: Array(fields), at: milliseconds)
  }

  /// A line of at most `lineBytesMax` bytes. If it would be longer, its longest texts are cut.
  private func line(
    _ level: Level,
    _ words: String,
    ordered fields: [(key: String, value: Field)],
    at milliseconds: UInt64
  ) -> String {
    var line = whole(level, words, ordered: fields, at: milliseconds)
    var bytesMax = Logger.lineBytesMax
    while line.utf8.count > Logger.lineBytesMax, bytesMax > 1 {
      bytesMax /= 2
      let cut = fields.map { (key: $0.key, value: $0.value.cut(toBytes: bytesMax)) }
      line = whole(level, words.cut(toBytes: bytesMax), ordered: cut, at: milliseconds)
    }
    return line
  }

  /// A pipe takes a line of this length whole or not at all, with the character that ends it. Of a longer line it could
  /// take a part, and the next line would go on there.
  static let lineBytesMax = Int(PIPE_BUF) - 1

  private func whole(
    _ level: Level,
    _ words: String,
    ordered fields: [(key: String, value: Field)],
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
        case .absent: break
        }
      }
      return line
    case .json:
      return Logger.jsonLine(
        [("time", .text(time)), ("level", .text(level.word)), ("message", .text(words))] + fields
      )
    }
  }

  /// A JSON object on one line. Characters that a terminal would not show, or would show in another form, are escaped.
  static func jsonLine(_ fields: [(key: String, value: Field)]) -> String {
    var members: [String] = []
    for (name, field) in fields {
      switch field {
      case .text(let text): members.append("\(name.jsonQuoted):\(text.jsonQuoted)")
      case .number(let number): members.append("\(name.jsonQuoted):\(number)")
      case .absent: break
      }
    }
    return "{" + members.joined(separator: ",") + "}"
  }
}

extension String {
  /// The text with spaces in place of line breaks, other control characters, and characters that change the direction
  /// of text. With a line break, a client could forge log lines.
  fileprivate var loggable: String {
    guard unicodeScalars.contains(where: \.isUnloggable) else { return self }
    return String(String.UnicodeScalarView(unicodeScalars.map { $0.isUnloggable ? " " : $0 }))
  }

  /// The text, in quotes unless it is a single word.
  fileprivate var loggableValue: String {
    let isWord = !isEmpty && utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") }
    return isWord ? self : jsonQuoted
  }

  var jsonQuoted: String {
    var quoted = "\""
    for scalar in unicodeScalars {
      switch scalar {
      case "\"", "\\": quoted += "\\\(scalar)"
      case _ where scalar.isUnloggable:
        for unit in String(scalar).utf16 {
          let digits = String(unit, radix: 16)
          quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}

extension Unicode.Scalar {
  /// Whether the character is a control character or an invisible one.
  fileprivate var isUnloggable: Bool {
    value < 0x20 || (0x7F...0x9F).contains(value) || HiddenCharacters.isAlwaysHidden(value)
  }
}
