import CanvasCRDT
import Glibc
import TerminalCanvas

/// Standard output for answers, line by line, and standard error for everything else.
///
/// Each line is written at once and whole, so that the reader of a pipe gets it immediately. When the reader closes the
/// pipe, the command ends quietly.
struct Output: Sendable {
  /// How many colours to print; none unless standard output is a terminal.
  var depth = ColorDepth.none
  /// Whether programs read the answers. Then errors and remarks are JSON as well.
  var isJSON = false

  static var isTerminal: Bool { isatty(STDOUT_FILENO) != 0 }

  func write(_ line: String) {
    var bytes = Array(line.utf8)
    bytes.append(UInt8(ascii: "\n"))
    write(bytes: bytes)
  }

  /// Writes one object, on a line of its own.
  func write(_ body: (inout JSONWriter) -> Void) {
    var writer = JSONWriter(capacity: 256)
    writer.beginObject()
    body(&writer)
    writer.endObject()
    write(json: writer.finish())
  }

  /// Writes a JSON text, on a line of its own. Characters that would control a terminal, or reverse the line, are
  /// escaped.
  func write(json: [UInt8]) {
    write(bytes: PlainJSON.escaping(json) + [UInt8(ascii: "\n")])
  }

  func write(bytes: [UInt8]) {
    guard let failure = Output.write(bytes, to: STDOUT_FILENO) else { return }
    if failure == EPIPE { return Signals.readerIsGone() }
    // The answer is incomplete, for example because the disk is full.
    complain(ClientFailure.failed("standard output: \(String(cString: strerror(failure)))"))
    exit(ExitCode.failed.rawValue)
  }

  /// Writes an error message to standard error, after the program's name. For programs it is
  /// `{"error":{"code":…,"message":…}}`, as in the server's answers over HTTP.
  func complain(_ code: String, _ words: String) { tell("error", code, words, to: "sync-client: \(words.printable)") }

  func complain(_ failure: ClientFailure) { complain(failure.code, failure.words) }

  /// Writes a message that isn't an error to standard error: why something takes long, that the connection is back.
  func notice(_ code: String, _ words: String) { tell("notice", code, words, to: "sync-client: \(words.printable)") }

  /// The same as `notice`, without the program's name, because it is one of many lines about a command's progress.
  func progress(_ words: String) { tell("notice", "progress", words, to: words) }

  private func tell(_ kind: StaticString, _ code: String, _ words: String, to people: String) {
    var bytes = Array(people.utf8)
    if isJSON {
      var writer = JSONWriter(capacity: 256)
      writer.beginObject()
      writer.key(kind)
      writer.beginObject()
      writer.member("code", code)
      writer.member("message", words)
      writer.endObject()
      writer.endObject()
      bytes = PlainJSON.escaping(writer.finish())
    }
    bytes.append(UInt8(ascii: "\n"))
    _ = Output.write(bytes, to: STDERR_FILENO)
  }

  /// Writes all bytes. Returns the error's number if that failed.
  private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
    bytes.withUnsafeBytes { bytes in
      var written = 0
      while written < bytes.count {
        let count = Glibc.write(descriptor, bytes.baseAddress! + written, bytes.count - written)
        if count >= 0 {
          written += count
        } else if errno == EAGAIN {
          // The write would block, because another process has made the terminal non-blocking. So this waits for it.
          var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
          poll(&wait, 1, -1)
        } else if errno != EINTR {
          return errno
        }
      }
      return nil
    }
  }
}

extension String {
  /// The text without control characters: text from the network must not move the cursor or ring the bell. Invisible
  /// characters, and those that would reverse the line, are shown as U+FFFD.
  var printable: String {
    func isPlain(_ scalar: Unicode.Scalar) -> Bool {
      scalar.properties.generalCategory != .control && !HiddenCharacters.isAlwaysHidden(scalar.value)
    }
    guard !unicodeScalars.allSatisfy(isPlain) else { return self }
    return String(
      String.UnicodeScalarView(
        unicodeScalars.map { scalar in
          if isPlain(scalar) { return scalar }
          return scalar.properties.generalCategory == .control ? " " : "\u{FFFD}"
        }
      )
    )
  }
}

extension JSONWriter {
  mutating func member(_ name: StaticString, _ text: String) {
    key(name)
    value(text: Text(text))
  }

  mutating func member(_ name: StaticString, _ text: Text) {
    key(name)
    value(text: text)
  }

  mutating func member(_ name: StaticString, _ identifier: Identifier) {
    key(name)
    value(identifier)
  }

  mutating func member(_ name: StaticString, _ number: Int) {
    key(name)
    value(number)
  }

  mutating func member(_ name: StaticString, _ number: UInt64) {
    key(name)
    value(number)
  }

  mutating func member(_ name: StaticString, _ number: Double) {
    key(name)
    value(number)
  }

  mutating func member(_ name: StaticString, _ flag: Bool) {
    key(name)
    value(flag)
  }
}
