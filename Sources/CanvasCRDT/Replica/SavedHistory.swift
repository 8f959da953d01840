// The steps that the user can undo and redo, as bytes. A host that ends after each edit, such as a terminal command,
// stores them, so that the next process can undo the edit. They are stored beside the saved replica, which
// has the clock.
//
//     version      one byte, 4
//     undoable     varint: how many; then each step, the oldest first:
//       turn       varint: the step's number, which rises from step to step
//       passed     varint: the turn of the step for which an undo passed over this one; 0 if none did
//       entries    varint: how many; then each:
//         shape    six bytes
//         before   a snapshot
//         after    another snapshot
//         spared   varint: the mask of the properties that undoing left unchanged
//     redoable     like `undoable`
//     aliases      varint: how many; then each: shape, property, current stamp, and a byte that says whether the
//                  original stamp follows
//     exchanges    varint: how many; then each undo or redo that the server has not answered:
//       from       a place
//       to         another place
//       flags      one byte: 1 the server has accepted a part
//       parts      varint: how many; then each: a place, a stamp, a varint of the properties that were written, and an
//                  entry
//       rest       varint: how many; then each entry
//       stand-ins  varint: how many; then each: shape, property, current stamp, and a byte: 0 there was no alias,
//                  1 the alias had no original stamp, 2 the original stamp follows
//     replaced     varint: how many; then each edit that the server has not answered: stamp, a varint of the properties
//                  that the edit's own step had written before, and a snapshot of the replaced values
//     former       varint: how many; then the last stamp of each actor that the user was before
//     checksum     the FNV-1a 64 of all bytes before it, highest byte first
//
// A snapshot is a byte (1 the shape is live, 2 there are values) and a varint of the registers that it covers. If there
// are values, a list of one operation without a stamp follows, and then the values' stamps in the order of the bits. A
// stamp is a varint of its time and six bytes of its actor. A place is a byte (1 the undoable steps, 0 the redoable
// ones) and a turn as a varint.

enum SavedHistory {
  static let version: UInt8 = 4
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

  static func readMask(from reader: inout ByteReader) throws(BinaryFailure) -> PropertyMask {
    let mask = try reader.varint()
    guard mask <= UInt64(PropertyMask.all.rawValue) else { throw .malformed("a property that there is not") }
    return PropertyMask(rawValue: UInt32(mask))
  }
}

// MARK: - Saving

extension Replica {
  /// The undo and redo steps as bytes. Only the newest steps are saved, with up to `shapesMax` shapes for each list. An
  /// open step is saved as if it were complete, because it can't be continued after the replica is restored.
  public func saveHistory(shapesMax: Int = UndoHistory.shapesMax) -> [UInt8] {
    var history = history
    history.closeStep()
    var writer = ByteWriter(capacity: 256)
    writer.append(SavedHistory.version)
    write(history.undoable, shapesMax: shapesMax, to: &writer)
    write(history.redoable, shapesMax: shapesMax, to: &writer)
    var named: [(shape: Identifier, alias: UndoHistory.Alias)] = []
    for shape in history.aliases.keys.sorted() {
      let ofShape = history.aliases[shape] ?? []
      for property in Property.allCases {
        for alias in ofShape where alias.property == property { named.append((shape, alias)) }
      }
    }
    writer.appendVarint(UInt64(named.count))
    for (shape, alias) in named {
      writer.append(shape)
      writer.append(alias.property.rawValue)
      SavedHistory.write(alias.current, to: &writer)
      writer.append(alias.original == nil ? 0 : 1)
      if let original = alias.original { SavedHistory.write(original, to: &writer) }
    }
    writer.appendVarint(UInt64(history.exchanges.count))
    for exchange in history.exchanges { exchange.save(to: &writer) }
    writeReplaced(to: &writer)
    writer.appendVarint(UInt64(history.former.count))
    for stamp in history.former { SavedHistory.write(stamp, to: &writer) }
    return SavedReplica.withChecksum(writer.finish())
  }

  private func writeReplaced(to writer: inout ByteWriter) {
    var known: [Outbox.Pending] = []
    outbox.forEach { if $0.replaced != nil { known.append($0) } }
    writer.appendVarint(UInt64(known.count))
    for pending in known {
      guard let replaced = pending.replaced else { continue }
      SavedHistory.write(pending.operation.at, to: &writer)
      writer.appendVarint(UInt64(replaced.ofSameStep.rawValue))
      replaced.values.save(of: pending.operation.shape, to: &writer)
    }
  }

  /// Writes the newest steps, within the limit on shapes. At least one step is written, whatever its size.
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
      writer.appendVarint(step.turn)
      writer.appendVarint(step.passedOverFor ?? 0)
      writer.appendVarint(UInt64(step.entries.count))
      for entry in step.entries { entry.save(to: &writer) }
    }
  }
}

extension UndoHistory.Entry {
  fileprivate func save(to writer: inout ByteWriter) {
    writer.append(shape)
    before.save(of: shape, to: &writer)
    after.save(of: shape, to: &writer)
    writer.appendVarint(UInt64(spared.rawValue))
  }

  fileprivate init(saved reader: inout ByteReader) throws(BinaryFailure) {
    shape = try reader.identifier()
    before = try RegisterSnapshot(saved: &reader)
    after = try RegisterSnapshot(saved: &reader)
    spared = try SavedHistory.readMask(from: &reader)
  }
}

extension UndoHistory.Place {
  fileprivate func save(to writer: inout ByteWriter) {
    writer.append(isUndoable ? 1 : 0)
    writer.appendVarint(turn)
  }

  fileprivate init(saved reader: inout ByteReader) throws(BinaryFailure) {
    isUndoable = try reader.byte() != 0
    turn = try reader.varint()
  }
}

extension UndoHistory.Exchange {
  fileprivate func save(to writer: inout ByteWriter) {
    from.save(to: &writer)
    to.save(to: &writer)
    writer.append(isTaken ? 1 : 0)
    writer.appendVarint(UInt64(parts.count))
    for shape in parts.keys.sorted() {
      guard let part = parts[shape] else { continue }
      part.from.save(to: &writer)
      SavedHistory.write(part.stamp, to: &writer)
      writer.appendVarint(UInt64(part.written.rawValue))
      part.entry.save(to: &writer)
    }
    writer.appendVarint(UInt64(rest.count))
    for entry in rest { entry.save(to: &writer) }
    let shapes = standIns.keys.sorted()
    writer.appendVarint(UInt64(shapes.reduce(0) { $0 + (standIns[$1]?.count ?? 0) }))
    for shape in shapes {
      for standIn in standIns[shape] ?? [] {
        writer.append(shape)
        writer.append(standIn.property.rawValue)
        SavedHistory.write(standIn.current, to: &writer)
        writer.append(standIn.alias == nil ? 0 : standIn.alias?.original == nil ? 1 : 2)
        if let original = standIn.alias?.original { SavedHistory.write(original, to: &writer) }
      }
    }
  }

  fileprivate init(saved reader: inout ByteReader) throws(BinaryFailure) {
    from = try UndoHistory.Place(saved: &reader)
    to = try UndoHistory.Place(saved: &reader)
    isTaken = try reader.byte() != 0
    for _ in 0..<(try reader.count(bytesEach: 20)) {
      let from = try UndoHistory.Place(saved: &reader)
      let stamp = try SavedHistory.readStamp(from: &reader)
      let written = try SavedHistory.readMask(from: &reader)
      let entry = try UndoHistory.Entry(saved: &reader)
      parts[entry.shape] = Part(
        from: from,
        entry: entry,
        stamp: stamp,
        written: written
      )
    }
    for _ in 0..<(try reader.count(bytesEach: 10)) {
      rest.append(try UndoHistory.Entry(saved: &reader))
    }
    for _ in 0..<(try reader.count(bytesEach: 15)) {
      let shape = try reader.identifier()
      guard let property = Property(rawValue: try reader.byte()) else { throw .malformed("no such property") }
      var standIn = UndoHistory.StandIn(property: property, current: try SavedHistory.readStamp(from: &reader))
      let form = try reader.byte()
      if form > 0 {
        let original = form > 1 ? try SavedHistory.readStamp(from: &reader) : nil
        standIn.alias = UndoHistory.Alias(property: property, current: standIn.current, original: original)
      }
      standIns[shape, default: []].append(standIn)
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
    for property in try SavedHistory.readMask(from: &reader) { setAbsent(property) }
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
  /// Replaces the current steps by the saved ones. If an undo's operations are not saved with the replica, the undo
  /// counts as done for now. The room's state will later show whether the server accepted it.
  public mutating func restoreHistory(_ bytes: [UInt8]) throws(SavedReplicaError) {
    var replaced: [(stamp: Stamp, values: ReplacedValues)] = []
    history = try bytes.span.withUnsafeBytes { (bytes) throws(SavedReplicaError) in
      try UndoHistory(saved: bytes, replaced: &replaced)
    }
    outbox.restoreReplaced(replaced)
  }
}

extension UndoHistory {
  init(
    saved bytes: UnsafeRawBufferPointer,
    replaced: inout [(stamp: Stamp, values: ReplacedValues)]
  ) throws(SavedReplicaError) {
    self.init()
    guard let version = bytes.first, bytes.count > SavedReplica.checksumBytes else { throw .damaged }
    guard version == SavedHistory.version else { throw .unknownVersion(version) }
    let body = UnsafeRawBufferPointer(rebasing: bytes.dropLast(SavedReplica.checksumBytes))
    let checksum = bytes.loadUnaligned(fromByteOffset: body.count, as: UInt64.self)
    guard SavedReplica.checksum(of: body) == UInt64(bigEndian: checksum) else { throw .damaged }
    var reader = ByteReader(UnsafeRawBufferPointer(rebasing: body.dropFirst()))
    do throws(BinaryFailure) {
      undoable = try readSteps(from: &reader)
      redoable = try readSteps(from: &reader)
      try readAliases(from: &reader)
      try readExchanges(from: &reader)
      for _ in 0..<(try reader.count(bytesEach: 10)) {
        let stamp = try SavedHistory.readStamp(from: &reader)
        let ofSameStep = try SavedHistory.readMask(from: &reader)
        let values = try RegisterSnapshot(saved: &reader)
        replaced.append((stamp, ReplacedValues(values: values, ofSameStep: ofSameStep)))
      }
      for _ in 0..<(try reader.count(bytesEach: 7)) { leave(try SavedHistory.readStamp(from: &reader)) }
      guard reader.isAtEnd else { throw .malformed("bytes behind the history") }
    } catch {
      throw .damaged
    }
    for step in undoable + redoable { shapesRemembered += step.entries.count }
  }

  private mutating func readSteps(from reader: inout ByteReader) throws(BinaryFailure) -> [Step] {
    var steps: [Step] = []
    for _ in 0..<(try reader.count(bytesEach: 1)) {
      var step = Step()
      step.turn = try reader.varint()
      let passedOverFor = try reader.varint()
      step.passedOverFor = passedOverFor == 0 ? nil : passedOverFor
      guard steps.last.map({ $0.turn < step.turn }) ?? true, step.turn <= UndoHistory.turnMax else {
        throw .malformed("steps out of order")
      }
      lastTurn = max(lastTurn, step.turn)
      // The shortest entry has ten bytes: six for the shape's identifier, and two for each of two empty snapshots.
      for _ in 0..<(try reader.count(bytesEach: 10)) {
        step.entries.append(try Entry(saved: &reader))
      }
      steps.append(step)
    }
    return steps
  }

  private mutating func readExchanges(from reader: inout ByteReader) throws(BinaryFailure) {
    for _ in 0..<(try reader.count(bytesEach: 8)) {
      let exchange = try Exchange(saved: &reader)
      for place in [exchange.from, exchange.to] + exchange.parts.values.map({ $0.from }) {
        guard place.turn <= UndoHistory.turnMax else { throw .malformed("a turn too late") }
        lastTurn = max(lastTurn, place.turn)
      }
      exchanges.append(exchange)
    }
  }

  private mutating func readAliases(from reader: inout ByteReader) throws(BinaryFailure) {
    for _ in 0..<(try reader.count(bytesEach: 15)) {
      let shape = try reader.identifier()
      guard let property = Property(rawValue: try reader.byte()),
        case let current = try SavedHistory.readStamp(from: &reader),
        aliases[shape]?.contains(where: { $0.property == property && $0.current == current }) != true
      else { throw .malformed("no such property, or a stamp once more") }
      let hasOriginal = try reader.byte() != 0
      let original = hasOriginal ? try SavedHistory.readStamp(from: &reader) : nil
      aliases[shape, default: []].append(Alias(property: property, current: current, original: original))
    }
  }
}
