/// What is wrong with a JSON text, and where.
public struct JSONFailure: Error, Hashable, Sendable {
  public enum Reason: UInt8, Hashable, Sendable {
    case endOfText
    case unexpectedByte
    case controlCharacter
    case malformedEscape
    case loneSurrogate
    case malformedUTF8
    case malformedNumber
    case tooDeep
    case trailingBytes
    /// The text is JSON, but another kind of value is there than the one that was asked for.
    case unexpectedKind
    /// The text is JSON, but a value is longer than it may be.
    case tooLong
  }

  public let reason: Reason
  /// How many bytes come before the one that is wrong.
  public let offset: Int

  @inlinable
  public init(_ reason: Reason, at offset: Int) {
    self.reason = reason
    self.offset = offset
  }

  /// In words, for an error message: `a control character in a string`.
  public var words: StaticString {
    switch reason {
    case .endOfText: "the text ends too early"
    case .unexpectedByte: "a byte that does not belong here"
    case .controlCharacter: "a control character in a string"
    case .malformedEscape: "a malformed escape in a string"
    case .loneSurrogate: "half a surrogate pair in a string"
    case .malformedUTF8: "malformed UTF-8 in a string"
    case .malformedNumber: "a malformed number"
    case .tooDeep: "objects and arrays nested too deep"
    case .trailingBytes: "something behind the value"
    case .unexpectedKind: "a value of another kind than expected"
    case .tooLong: "a value that is too long"
    }
  }
}

extension JSONFailure: CustomStringConvertible {
  /// `a control character in a string at byte 12`.
  public var message: Text { Text(words).appending(" at byte ").appending(Text(decimal: UInt64(offset))) }

  public var description: String { message.string }
}

/// Which quotes may stand around a string.
public enum JSONQuotes: Sendable {
  /// As RFC 8259 has it.
  case double
  /// Single ones too, as in the squares layout; within one kind the other stands for itself, and `\'` is an escape.
  case doubleOrSingle
}

/// What a JSON value is.
public enum JSONKind: UInt8, Hashable, Sendable {
  case object
  case array
  case string
  case number
  case boolean
  case null
}
