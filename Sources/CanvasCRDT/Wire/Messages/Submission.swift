/// A client's operations, which are accepted all together or not at all.
public struct Submission: Hashable, Sendable {
  public var id: MessageIdentifier?
  public var operations: [ProposedOperation]

  public init(id: MessageIdentifier?, operations: [ProposedOperation]) {
    self.id = id
    self.operations = operations
  }
}

// MARK: - JSON

extension JSONEncoding {
  static func write(_ submission: Submission, to writer: inout JSONWriter) {
    write(submission.id, to: &writer)
    writer.key("ops")
    writeOperations(submission.operations, to: &writer)
  }

  /// Reads a message in one pass. If an operation is rejected before the `id` was read, the pass goes on until it has
  /// found the `id`.
  static func readSubmission(
    from reader: inout JSONReader,
    operationsMax: UInt64
  ) throws(MessageError) -> Submission {
    var submission = Submission(id: nil, operations: [])
    var refusal: MessageError? = .refused(.badMessage, "a message of this type must have a list of operations, ops")
    try forEachMember(of: &reader) { (key, reader) throws(MessageError) in
      switch key {
      case "id":
        guard let id = reader.messageIdentifier() else {
          throw .refused(.badMessage, "id must be a number or text")
        }
        submission.id = id
      case "ops":
        let list = reader
        do throws(MessageError) {
          submission.operations = try readProposed(from: &reader, operationsMax: operationsMax)
          refusal = nil
        } catch {
          refusal = error
          reader = list
          reader.passOver()
        }
      default: reader.passOver()
      }
    }
    if let refusal { throw refusal.naming(submission.id) }
    return submission
  }

  private static func readProposed(
    from reader: inout JSONReader,
    operationsMax: UInt64
  ) throws(MessageError) -> [ProposedOperation] {
    var list = try JSONOperationReader(reader)
    var operations: [ProposedOperation] = []
    while let operation = try list.next() {
      guard UInt64(operations.count) < operationsMax else { throw .refused(.tooManyOperations, "too many operations") }
      operations.append(operation)
    }
    guard !operations.isEmpty else { throw .refused(.badMessage, "a message of no operations") }
    reader = list.reader
    return operations
  }
}

// MARK: - Binary

extension BinaryEncoding {
  static func write(_ submission: Submission, to writer: inout ByteWriter) {
    write(submission.id, to: &writer)
    BinaryOperations.write(submission.operations, to: &writer)
  }

  static func readSubmission(
    from reader: inout ByteReader,
    id: inout MessageIdentifier?,
    operationsMax: UInt64
  ) throws(BinaryFailure) -> Submission {
    do throws(BinaryFailure) { id = try readMessageIdentifier(from: &reader) } catch {
      guard case .field(let words) = error else { throw error }
      throw .refused(.badMessage, words)
    }
    var list = try BinaryOperationReader(reader)
    guard list.count > 0 else { throw .refused(.badMessage, "a message of no operations") }
    guard UInt64(list.count) <= operationsMax else { throw .refused(.tooManyOperations, "too many operations") }
    var operations: [ProposedOperation] = []
    operations.reserveCapacity(list.count)
    while let operation = try list.next() { operations.append(operation) }
    reader = list.reader
    return Submission(id: id, operations: operations)
  }
}
