import CanvasCRDT

/// A small JSON answer as a tree. Large answers are read with `JSONReader`.
indirect enum JSONValue: Sendable {
  case object([String: JSONValue])
  case array([JSONValue])
  case text(String)
  case number(Double)
  case boolean(Bool)
  case null

  /// `nil` if the bytes are not JSON. The recursion is never deep, because `JSONReader` limits how deeply values are
  /// nested.
  init?(_ bytes: [UInt8]) {
    let value = bytes.span.withUnsafeBytes { bytes -> JSONValue? in
      guard var reader = try? JSONReader(validating: bytes) else { return nil }
      return try? JSONValue(&reader)
    }
    guard let value else { return nil }
    self = value
  }

  private init(_ reader: inout JSONReader) throws(JSONFailure) {
    switch reader.kind {
    case .object:
      var members: [String: JSONValue] = [:]
      try reader.beginObject()
      while let key = try reader.nextKey() {
        let name = key.text.string
        members[name] = try JSONValue(&reader)
      }
      self = .object(members)
    case .array:
      var elements: [JSONValue] = []
      try reader.beginArray()
      while try reader.nextElement() { elements.append(try JSONValue(&reader)) }
      self = .array(elements)
    case .string: self = .text(try reader.readString().text.string)
    case .number: self = .number(try reader.readNumber())
    case .boolean: self = .boolean(try reader.readBoolean())
    case .null, nil:
      try reader.readNull()
      self = .null
    }
  }

  subscript(member: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members[member]
  }

  var elements: [JSONValue] {
    guard case .array(let elements) = self else { return [] }
    return elements
  }

  var text: String? {
    guard case .text(let text) = self else { return nil }
    return text
  }

  var isTrue: Bool {
    guard case .boolean(let flag) = self else { return false }
    return flag
  }

  var number: Double? {
    guard case .number(let number) = self else { return nil }
    return number
  }
}
