// The steps that the user can undo and redo, as bytes. For a host that ends after each edit, such as a terminal
// command: its next undo is another process. Kept beside the saved replica, which has the clock.
//
//     version      one byte, 1
//     undoable     varint, then each step, the oldest first: varint, then each of its entries:
//       shape      six bytes
//       before     a snapshot, and
//       after      another
//     redoable     likewise
//     aliases      varint, then each: shape, property, stamp, and a byte that says whether the stamp that it stands for
//                  follows
//     checksum     the FNV-1a 64 of all bytes before it, highest byte first
//
// A snapshot is a byte (1 the shape is live, 2 there are values), a varint of the registers that it covers, a list of
// one operation without a stamp where there are values, and the stamps of these in the order of the properties' bits. A
// stamp is a varint of its time and six bytes of its actor.

enum SavedHistory {
  static let version: UInt8 = 1
  static let liveFlag: UInt8 = 1
  static let valuesFlag: UInt8 = 2

  static func write(_ stamp: Stamp, to writer: inout ByteWriter) {
    writer.appendVarint(stamp.time)
    writer.append(stamp.actor)
  }

  static func readStamp(from reader: inout ByteReader) throws(BinaryFailure) -> Stamp {
    let time = try reader.varint()
    return Stamp(time: time, actor: try reader.identifier())
  }
}

// MARK: - Saving

extension Replica {
  /// The undo and redo steps as bytes. Only the newest are kept, up to `shapesMax` shapes for each list.
  public func saveHistory(shapesMax: Int = 10_000) -> [UInt8] {
    var writer = ByteWriter(capacity: 256)
    writer.append(SavedHistory.version)
    write(history.undoable, shapesMax: shapesMax, to: &writer)
    write(history.redoable, shapesMax: shapesMax, to: &writer)
    var named: [(shape: Identifier, alias: UndoHistory.Alias)] = []
    for shape in history.aliases.keys.sorted() {
      let ofShape = history.aliases[shape] ?? []
      for alias in ofShape.sorted(by: { $0.property.rawValue < $1.property.rawValue }) { named.append((shape, alias)) }
    }
    writer.appendVarint(UInt64(named.count))
    for (shape, alias) in named {
      writer.append(shape)
      writer.append(alias.property.rawValue)
      SavedHistory.write(alias.current, to: &writer)
      writer.append(alias.original == nil ? 0 : 1)
      if let original = alias.original { SavedHistory.write(original, to: &writer) }
    }
    return SavedReplica.withChecksum(writer.finish())
  }

  /// Writes the newest steps. The very newest is written whatever its size.
  private func write(_ steps: [UndoHistory.Step], shapesMax: Int, to writer: inout ByteWriter) {
    var shapes = 0
    var count = 0
    for step in steps.reversed() {
      shapes += step.entries.count
      guard count == 0 || shapes <= shapesMax else { break }
      count += 1
    }
    writer.appendVarint(UInt64(count))
    for step in steps.suffix(count) {
      writer.appendVarint(UInt64(step.entries.count))
      for entry in step.entries {
        writer.append(entry.shape)
        entry.before.save(of: entry.shape, to: &writer)
        entry.after.save(of: entry.shape, to: &writer)
      }
    }
  }
}

extension RegisterSnapshot {
  func save(of shape: Identifier, to writer: inout ByteWriter) {
    let hasValues = !values.assigned.isEmpty
    writer.append((isLive ? SavedHistory.liveFlag : 0) | (hasValues ? SavedHistory.valuesFlag : 0))
    writer.appendVarint(UInt64(covered.rawValue))
    guard hasValues else { return }
    BinaryOperations.write([ProposedOperation(shape: shape, at: nil, set: values)], to: &writer)
    for property in values.assigned {
      if let stamp = stamp(of: property) { SavedHistory.write(stamp, to: &writer) }
    }
  }

  init(saved reader: inout ByteReader) throws(BinaryFailure) {
    let flags = try reader.byte()
    guard flags & ~(SavedHistory.liveFlag | SavedHistory.valuesFlag) == 0 else { throw .malformed("a flag too many") }
    self.init(isLive: flags & SavedHistory.liveFlag != 0)
    let mask = try reader.varint()
    guard mask <= UInt64(PropertyMask.all.rawValue) else { throw .malformed("a property that there is not") }
    for property in PropertyMask(rawValue: UInt32(mask)) { setAbsent(property) }
    guard flags & SavedHistory.valuesFlag != 0 else { return }
    var list = try BinaryOperationReader(reader)
    guard let operation = try list.next(), case .none = try list.next() else {
      throw .malformed("values that are missing")
    }
    reader = list.reader
    for property in operation.set.assigned {
      set(property, to: operation.set, at: try SavedHistory.readStamp(from: &reader))
    }
  }
}

// MARK: - Restoring

extension Replica {
  /// Continues with the saved steps and forgets the current ones.
  public mutating func restoreHistory(_ bytes: [UInt8]) throws(SavedReplicaError) {
    history = try bytes.span.withUnsafeBytes { (bytes) throws(SavedReplicaError) in try UndoHistory(saved: bytes) }
  }
}

extension UndoHistory {
  init(saved bytes: UnsafeRawBufferPointer) throws(SavedReplicaError) {
    self.init()
    guard let version = bytes.first, bytes.count > SavedReplica.checksumBytes else { throw .damaged }
    guard version == SavedHistory.version else { throw .unknownVersion(version) }
    let body = UnsafeRawBufferPointer(rebasing: bytes.dropLast(SavedReplica.checksumBytes))
    let checksum = bytes.loadUnaligned(fromByteOffset: body.count, as: UInt64.self)
    guard SavedReplica.checksum(of: body) == UInt64(bigEndian: checksum) else { throw .damaged }
    var reader = ByteReader(UnsafeRawBufferPointer(rebasing: body.dropFirst()))
    do throws(BinaryFailure) {
      undoable = try UndoHistory.readSteps(from: &reader)
      redoable = try UndoHistory.readSteps(from: &reader)
      try readAliases(from: &reader)
      guard reader.isAtEnd else { throw .malformed("bytes behind the history") }
    } catch {
      throw .damaged
    }
    for step in undoable + redoable { shapesRemembered += step.entries.count }
  }

  private static func readSteps(from reader: inout ByteReader) throws(BinaryFailure) -> [Step] {
    var steps: [Step] = []
    for _ in 0..<(try reader.count(bytesEach: 1)) {
      var step = Step()
      // The shortest entry is a shape's identifier and two empty snapshots.
      for _ in 0..<(try reader.count(bytesEach: 10)) {
        let shape = try reader.identifier()
        let before = try RegisterSnapshot(saved: &reader)
        step.entries.append(Entry(shape: shape, before: before, after: try RegisterSnapshot(saved: &reader)))
      }
      steps.append(step)
    }
    return steps
  }

  private mutating func readAliases(from reader: inout ByteReader) throws(BinaryFailure) {
    for _ in 0..<(try reader.count(bytesEach: 15)) {
      let shape = try reader.identifier()
      guard let property = Property(rawValue: try reader.byte()),
        aliases[shape]?.contains(where: { $0.property == property }) != true
      else { throw .malformed("no such property, or once more") }
      let current = try SavedHistory.readStamp(from: &reader)
      let hasOriginal = try reader.byte() != 0
      let original = hasOriginal ? try SavedHistory.readStamp(from: &reader) : nil
      aliases[shape, default: []].append(Alias(property: property, current: current, original: original))
    }
  }
}
