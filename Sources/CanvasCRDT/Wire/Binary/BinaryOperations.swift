// A list of operations in a compact form: each actor is written once, and each stamp relative to the previous stamp.
//
//     actors        varint: how many; then six bytes each, in the order in which they first occur in the operations
//     operations    varint: how many; then for each:
//       head        one byte: 1 the shape follows (otherwise it is the same as in the operation before)
//                             2 there is no stamp, so the server makes one
//                             4 the stamp is the same as in the operation before
//                             8 a counter follows (otherwise it is 0)
//                             the upper four bits: the actor's index in the list; 15: the rest follows as a varint
//       shape       six bytes
//       time        zigzag varint: the difference in milliseconds from the stamp before (for the first: from 0)
//       counter     varint, 1…65535
//       mask        varint, one bit for each property
//       values      in the order of the bits
//
// Each list has exactly one encoding: a longer form of the same list is rejected.

enum BinaryOperations {
  static let shapeFollows: UInt8 = 1
  static let unstamped: UInt8 = 2
  static let sameStamp: UInt8 = 4
  static let counterFollows: UInt8 = 8
  static let actorShift: UInt8 = 4
  static let actorFollows: UInt8 = 15

  /// The length of the shortest operation: a head and a mask.
  static let operationBytesMin = 2

  static func write(_ operations: [Operation], to writer: inout ByteWriter) {
    write(count: operations.count, to: &writer) { index, body in
      body(operations[index].shape, operations[index].at, operations[index].set)
    }
  }

  static func write(_ operations: [ProposedOperation], to writer: inout ByteWriter) {
    write(count: operations.count, to: &writer) { index, body in
      body(operations[index].shape, operations[index].at, operations[index].set)
    }
  }

  @inline(__always)
  private static func write(
    count: Int,
    to writer: inout ByteWriter,
    at: (Int, (Identifier, Stamp?, borrowing Properties) -> Void) -> Void
  ) {
    var actors = ActorList()
    for index in 0..<count {
      at(index) { _, stamp, _ in
        if let stamp { actors.enter(stamp.actor) }
      }
    }
    writer.appendVarint(UInt64(actors.list.count))
    for actor in actors.list { writer.append(actor) }
    writer.appendVarint(UInt64(count))
    var shapeBefore: Identifier?
    var stampBefore: Stamp?
    for index in 0..<count {
      at(index) { shape, stamp, set in
        var head: UInt8 = 0
        if shape != shapeBefore { head |= shapeFollows }
        var actor = 0
        if let stamp {
          if stamp == stampBefore {
            head |= sameStamp
          } else {
            if stamp.counter != 0 { head |= counterFollows }
            actor = actors.place(of: stamp.actor)
            head |= UInt8(min(actor, Int(actorFollows))) << actorShift
          }
        } else {
          head |= unstamped
        }
        writer.append(head)
        if head & shapeFollows != 0 { writer.append(shape) }
        if let stamp, head & sameStamp == 0 {
          if actor >= Int(actorFollows) { writer.appendVarint(UInt64(actor - Int(actorFollows))) }
          writer.appendSignedVarint(Int64(stamp.milliseconds) - Int64(stampBefore?.milliseconds ?? 0))
          if stamp.counter != 0 { writer.appendVarint(stamp.counter) }
        }
        write(set, to: &writer)
        shapeBefore = shape
        if let stamp { stampBefore = stamp }
      }
    }
  }

  static func write(_ set: borrowing Properties, to writer: inout ByteWriter) {
    writer.appendVarint(UInt64(set.assigned.rawValue))
    for property in set.assigned {
      switch property.form {
      case .erasure: break
      case .kind: writer.append(set.kind.rawValue)
      case .name: writer.appendCounted(set.name)
      case .orderKey: writer.appendCounted(set.z.text)
      case .text: writer.appendCounted(set.text)
      case .choice(let field): writer.append(set[field])
      case .identifier(let field): writer.append(orNone: set[field])
      case .path: writer.appendCounted(set.path.bytes)
      case .tie(let field): writer.append(orNone: set[field])
      case .flag(let field): writer.append(set[field] ? 1 : 0)
      case .color(let field): writer.append(set[field])
      case .integer(let field, _, _): writer.append(UInt8(truncatingIfNeeded: set[field]))
      case .number(let field, _, _): BinaryNumber.write(set[field], to: &writer)
      case .pair(let field, _):
        let (first, second) = set[field]
        BinaryNumber.write(first, to: &writer)
        BinaryNumber.write(second, to: &writer)
      }
    }
  }
}
