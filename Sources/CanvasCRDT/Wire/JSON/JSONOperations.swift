// Lists of operations as JSON: `[{"shape":…,"at":…,"set":{…}}]`.

extension JSONEncoding {
  public static func writeOperations(_ operations: [Operation], to writer: inout JSONWriter) {
    writer.beginArray()
    for index in operations.indices {
      write(operations[index].shape, operations[index].at, operations[index].set, to: &writer)
    }
    writer.endArray()
  }

  public static func writeOperations(_ operations: [ProposedOperation], to writer: inout JSONWriter) {
    writer.beginArray()
    for index in operations.indices {
      write(operations[index].shape, operations[index].at, operations[index].set, to: &writer)
    }
    writer.endArray()
  }

  /// Writes a part of a state, as the operations that rebuild it.
  public static func writeOperations(_ part: StatePart, to writer: inout JSONWriter) {
    writer.beginArray()
    part.forEachOperation { write($0.shape, $0.at, $0.set, to: &writer) }
    writer.endArray()
  }

  private static func write(
    _ shape: Identifier,
    _ stamp: Stamp?,
    _ set: borrowing Properties,
    to writer: inout JSONWriter
  ) {
    writer.beginObject()
    writer.key("shape")
    writer.value(shape)
    if let stamp {
      writer.key("at")
      writer.value(stamp)
    }
    writer.key("set")
    write(set, to: &writer)
    writer.endObject()
  }
}

// MARK: - Reading

/// Reads a list of operations one by one, without an allocation for each.
///
/// The rejections that it throws lack the message's `id`, which can come after the list. The caller has to find the
/// `id` and add it.
struct JSONOperationReader {
  private(set) var reader: JSONReader
  private var read = 0

  /// `reader` must be at the value of `ops`.
  init(_ reader: JSONReader) throws(MessageError) {
    self.reader = reader
    guard self.reader.entersArray() else { throw .refused(.badMessage, "ops must be a list of operations") }
  }

  /// The next operation. `nil` after the last one.
  mutating func next() throws(MessageError) -> ProposedOperation? {
    guard reader.hasElement() else { return nil }
    guard reader.entersObject() else { throw refused(.badMessage, "an operation must be an object") }
    var shape: Identifier?
    var stamp: Stamp?
    var set = Properties()
    while let key = reader.memberKey() {
      switch key {
      case "shape":
        shape = reader.identifier()
        if shape == nil { throw refused(.badShape, "shape must be an identifier such as afy-kw5-t7o") }
      case "at" where reader.kind != .null:
        stamp = reader.stamp()
        if stamp == nil { throw refused(.badStamp, "at must be a stamp such as 1763650000000.0.k3j-9x2-m1p") }
      case "set": try readProperties(into: &set)
      default: reader.passOver()
      }
    }
    guard let shape else { throw refused(.badShape, "an operation must name its shape") }
    guard !set.assigned.isEmpty else { throw refused(.badMessage, "an operation must set something") }
    do throws(PropertyProblem) { try set.check() } catch { throw refused(.badValue, error.message) }
    read &+= 1
    return ProposedOperation(shape: shape, at: stamp, set: set)
  }

  private mutating func readProperties(into set: inout Properties) throws(MessageError) {
    guard reader.entersObject() else { throw refused(.badMessage, "set must be an object of properties") }
    while let key = reader.memberKey() {
      guard let property = key.withBytes({ Property(wireName: $0) }) else {
        throw refused(.badProperty, "there is no such property")
      }
      guard set.read(property, from: &reader) else {
        throw refused(.badValue, PropertyProblem(property).message)
      }
    }
  }

  private func refused(_ code: RejectCode, _ message: Text) -> MessageError {
    .rejected(Rejection(operation: read, code: code, message: message))
  }
}
