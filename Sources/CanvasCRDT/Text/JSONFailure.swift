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
    /// The text is valid JSON, but the value is not of the kind that the caller asked for.
    case unexpectedKind
    /// The text is valid JSON, but a value is longer than allowed.
    case tooLong
  }

  public let reason: Reason
  /// The offset of the wrong byte.
  public let offset: Int

  @inlinable
  public init(_ reason: Reason, at offset: Int) {
    self.reason = reason
    self.offset = offset
  }

  /// The failure as text, for an error message: `a control character in a string`.
  public var words: StaticString {
    switch reason {
    case .endOfText: "the text ends too early"
    case .unexpectedByte: "an unexpected byte"
    case .controlCharacter: "a control character in a string"
    case .malformedEscape: "a malformed escape in a string"
    case .loneSurrogate: "half a surrogate pair in a string"
    case .malformedUTF8: "malformed UTF-8 in a string"
    case .malformedNumber: "a malformed number"
    case .tooDeep: "objects and arrays nested too deeply"
    case .trailingBytes: "something after the value"
    case .unexpectedKind: "a value of another kind than expected"
    case .tooLong: "a value that is too long"
    }
  }
}

extension JSONFailure: CustomStringConvertible {
  /// The failure and its offset: `a control character in a string at byte 12`.
  public var message: Text { Text(words).appending(" at byte ").appending(Text(decimal: UInt64(offset))) }

  public var description: String { message.string }
}

/// Which quotes may enclose a string.
public enum JSONQuotes: Sendable {
  /// Only double quotes, as in RFC 8259.
  case double
  /// Double or single quotes, as in the squares layout. In quotes of one kind, the other kind needs no escape. `\'` is
  /// an escape.
  case doubleOrSingle
}

public enum JSONKind: UInt8, Hashable, Sendable {
  case object
  case array
  case string
  case number
  case boolean
  case null
}
