import CanvasCRDT

/// A line of input. It is one operation, `{"shape":…,"set":{…}}`, or several that succeed or fail together,
/// `{"ops":[…]}`. An `id` is repeated in the answer. An operation without a shape makes a new shape.
struct PipeLine: Sendable {
  let id: JSONText?
  let operations: [ProposedOperation]
  /// The shapes that the line makes.
  let made: [Identifier]

  init(_ bytes: [UInt8], using generator: inout some RandomNumberGenerator) throws(PipeRefusal) {
    var draft = Draft()
    let failure = bytes.span.withUnsafeBytes { bytes -> JSONFailure? in
      do throws(JSONFailure) {
        var reader = try JSONReader(validating: bytes)
        try draft.read(&reader, using: &generator)
        return nil
      } catch {
        return error
      }
    }
    let fault = failure.map { "not JSON as it should be: \($0)" } ?? (draft.isMixed ? "ops beside an operation" : nil)
    if let fault { throw PipeRefusal(id: draft.id, operation: nil, code: "bad_message", message: fault) }
    do throws(MessageError) {
      operations = try JSONEncoding.decodeSubmission(draft.finish()).operations
    } catch {
      if case .rejected(let rejection) = error {
        throw PipeRefusal(
          id: draft.id,
          operation: rejection.operation,
          code: Text(rejection.code.wireName).string,
          message: rejection.message.string
        )
      }
      throw PipeRefusal(id: draft.id, operation: nil, code: "bad_message", message: error.words.string)
    }
    id = draft.id
    made = draft.made
  }

  /// The line as a message of the protocol, where each operation names its shape.
  private struct Draft {
    var id: JSONText?
    var made: [Identifier] = []
    /// Whether the line has a list of operations, and another operation beside it.
    private(set) var isMixed = false
    private var operations = JSONWriter()

    init() { operations.beginArray() }

    mutating func read(
      _ reader: inout JSONReader,
      using generator: inout some RandomNumberGenerator
    ) throws(JSONFailure) {
      var single = Members()
      var hasList = false
      try reader.beginObject()
      while let key = try reader.nextKey() {
        switch key {
        case "id": id = try JSONText(reading: &reader, maximumBytes: 4_096)
        case "ops":
          hasList = true
          try reader.beginArray()
          while try reader.nextElement() {
            var members = Members()
            try reader.beginObject()
            while let key = try reader.nextKey() { try members.read(key, &reader) }
            write(members, using: &generator)
          }
        default: try single.read(key, &reader)
        }
      }
      if !hasList { write(single, using: &generator) }
      isMixed = hasList && !single.isEmpty
    }

    private mutating func write(_ members: Members, using generator: inout some RandomNumberGenerator) {
      operations.beginObject()
      operations.key("shape")
      if let shape = members.shape {
        shape.withUnsafeBytes { operations.raw($0) }
      } else {
        let shape = Identifier.random(using: &generator)
        made.append(shape)
        operations.value(shape)
      }
      if let stamp = members.at {
        operations.key("at")
        stamp.withUnsafeBytes { operations.raw($0) }
      }
      if let set = members.set {
        operations.key("set")
        set.withUnsafeBytes { operations.raw($0) }
      }
      operations.endObject()
    }

    func finish() -> [UInt8] {
      var list = operations
      list.endArray()
      var writer = JSONWriter()
      writer.beginObject()
      writer.key("ops")
      list.finish().withUnsafeBytes { writer.raw($0) }
      writer.endObject()
      return writer.finish()
    }
  }

  private struct Members {
    var shape: [UInt8]?
    var at: [UInt8]?
    var set: [UInt8]?

    var isEmpty: Bool { shape == nil && at == nil && set == nil }

    mutating func read(_ key: JSONString, _ reader: inout JSONReader) throws(JSONFailure) {
      let isNull = reader.kind == .null
      let value = Array(try reader.readRawValue())
      switch key {
      case "shape" where !isNull: shape = value
      case "at" where !isNull: at = value
      case "set": set = value
      default: break
      }
    }
  }
}

/// Why a line of input is refused.
struct PipeRefusal: Error, Hashable, Sendable {
  let id: JSONText?
  let operation: Int?
  let code: String
  let message: String
}
