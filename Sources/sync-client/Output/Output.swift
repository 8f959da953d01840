import CanvasCRDT
import Glibc
import TerminalCanvas

/// Prints answers to standard output, and everything else to standard error.
///
/// Each line is written at once and whole, so that a pipe's reader gets it immediately. If the reader closes the pipe,
/// the command ends quietly.
struct Output: Sendable {
  /// How many colours to use. None if standard output is not a terminal.
  var depth = ColorDepth.none
  /// Whether the output is for programs. Errors and remarks are then JSON too.
  var isJSON = false

  static var isTerminal: Bool { isatty(STDOUT_FILENO) != 0 }

  func write(_ line: String) {
    var bytes = Array(line.utf8)
    bytes.append(UInt8(ascii: "\n"))
    write(bytes: bytes)
  }

  /// Prints one JSON object as a line.
  func write(_ body: (inout JSONWriter) -> Void) {
    var writer = JSONWriter(capacity: 256)
    writer.beginObject()
    body(&writer)
    writer.endObject()
    write(json: writer.finish())
  }

  /// Prints a JSON text as a line. Characters that could control a terminal or change the direction of text are
  /// escaped.
  func write(json: [UInt8]) {
    write(bytes: PlainJSON.escaping(json) + [UInt8(ascii: "\n")])
  }

  func write(bytes: [UInt8]) {
    guard let failure = StandardFiles.write(bytes, to: StandardFiles.output) else { return }
    if failure == EPIPE { return Signals.readerIsGone() }
    // A part of the answer is missing, for example because the disk is full.
    complain(ClientFailure.failed("standard output: \(String(cString: strerror(failure)))"))
    exit(ExitCode.failed.rawValue)
  }

  /// Prints an error to standard error, after the program's name. For programs it is
  /// `{"error":{"code":…,"message":…}}`, as in the server's HTTP API.
  func complain(_ code: String, _ words: String) { tell("error", code, words, to: "sync-client: \(words.printable)") }

  func complain(_ failure: ClientFailure) { complain(failure.code, failure.words) }

  /// Prints a remark to standard error, such as why something takes long.
  func notice(_ code: String, _ words: String) { tell("notice", code, words, to: "sync-client: \(words.printable)") }

  /// Like `notice`, but without the program's name, for one of many progress lines.
  func progress(_ words: String) { tell("notice", "progress", words, to: words.printable) }

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
    _ = StandardFiles.write(bytes, to: StandardFiles.error)
  }
}

extension String {
  /// The text without control characters, because text from the network must not move the cursor or ring the bell.
  /// Characters that are invisible or change the direction of text become U+FFFD.
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
