@testable import CanvasCRDT

/// The simplest implementation of the rules in docs/PROTOCOL.md. It keeps all operations, and computes every answer
/// from the whole list.
struct ReferenceCanvas {
  private(set) var operations: [CanvasCRDT.Operation] = []

  mutating func apply(_ operation: CanvasCRDT.Operation) { operations.append(operation) }

  func erasure(of shape: Identifier) -> Stamp? {
    operations.filter { $0.shape == shape && $0.set.deleted }.map(\.at).max()
  }

  /// The operation that the register's value comes from. `nil` if the register has no value.
  func register(_ property: Property, of shape: Identifier) -> CanvasCRDT.Operation? {
    let writes = operations.filter { operation in
      operation.shape == shape && operation.set.assigned.contains(property)
        && (erasure(of: shape).map { operation.at > $0 } ?? true)
    }
    return writes.max { left, right in
      left.at != right.at ? left.at < right.at : right.set.outranks(left.set, on: property)
    }
  }

  var shapes: [Identifier] { Set(operations.map(\.shape)).sorted() }

  func isLive(_ shape: Identifier) -> Bool { register(.kind, of: shape) != nil }

  /// The digest by its definition: FNV-1a over the text of each register of a live shape, mixed and summed.
  var digest: UInt64 {
    var sum: UInt64 = 0
    for shape in shapes where isLive(shape) {
      for property in PropertyMask.registers {
        guard let write = register(property, of: shape) else { continue }
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in "\(shape) \(property.wireName) \(write.at)".utf8 {
          hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
        }
        hash = (hash ^ (hash >> 33)) &* 0xFF51_AFD7_ED55_8CCD
        hash = (hash ^ (hash >> 33)) &* 0xC4CE_B9FE_1A85_EC53
        sum &+= hash ^ (hash >> 33)
      }
    }
    return sum
  }

  /// The first difference between `canvas` and this reference, in words. `nil` if there is none.
  func difference(from canvas: Canvas) -> String? {
    for shape in shapes {
      if canvas.stamp(of: .deleted, in: shape) != erasure(of: shape) { return "erasure of \(shape)" }
      for property in PropertyMask.registers {
        let write = register(property, of: shape)
        if canvas.stamp(of: property, in: shape) != write?.at { return "\(property) of \(shape)" }
      }
      if (canvas[shape] != nil) != isLive(shape) { return "liveness of \(shape)" }
      if let live = canvas[shape] {
        for property in PropertyMask.registers {
          guard let write = register(property, of: shape) else { continue }
          if !live.properties.agrees(on: property, with: write.set) { return "value of \(property) of \(shape)" }
        }
      }
    }
    if canvas.digest != digest { return "digest" }
    if canvas.liveCount != shapes.filter(isLive).count { return "live count" }
    return nil
  }
}
