// A replica as bytes for the host to store, so that closing the page loses no edit.
//
//     version      one byte, 2
//     flags        one byte: 1 the drawing follows, 2 an offset follows, 4 a key follows
//     actor        six bytes
//     clock        two varints: the last time that was used or reserved, and the greatest that the server has confirmed
//     offset       zigzag varint: how far the server's time is ahead of the host's, in milliseconds
//     key          counted text: the key with which the client gets the same actor again
//     runs         varint: how many messages were in flight; then for each a varint, its number of operations
//     edits        varint: how many edits were waiting; then for each a varint, its number of operations
//     operations   the operations of these messages and edits, as in a message
//     cursor       only with the drawing: counted text, empty if there is no cursor yet
//     parts        only with the drawing: varint: how many; then each part of the confirmed state as columns
//     checksum     the FNV-1a 64 of all bytes before it, highest byte first
//
// The cursor is stored only together with the drawing. Without its drawing, a replica has to load the whole state
// anyway. A program that knows more properties or kinds raises the version, and ignores the cursors of earlier ones,
// because the drawings beside them lack these (C12).

/// Why bytes can't be read as a saved replica.
public enum SavedReplicaError: Error, Hashable, Sendable {
  /// The bytes were cut off or altered.
  case damaged
  /// Another version of this program saved the bytes.
  case unknownVersion(UInt8)
  /// The bytes describe more shapes than a room may have.
  case tooLarge
}

enum SavedReplica {
  static let version: UInt8 = 2
  static let checksumBytes = 8
  static let drawingFlag: UInt8 = 1
  static let offsetFlag: UInt8 = 2
  static let keyFlag: UInt8 = 4
  static let flagsAll: UInt8 = 7

  /// An upper bound on the shapes in a save: ten times the default limit of a room. Without a bound, a few bytes of
  /// columns could describe any number of shapes and fill the memory.
  static let shapesMax = 1_000_000

  static func checksum(of bytes: UnsafeRawBufferPointer) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    return hash
  }

  static func withChecksum(_ body: [UInt8]) -> [UInt8] {
    var writer = ByteWriter(capacity: body.count + checksumBytes)
    writer.append(body)
    writer.appendBigEndian(body.span.withUnsafeBytes { checksum(of: $0) })
    return writer.finish()
  }
}

// MARK: - Saving

extension Replica {
  /// Saves the edits that the server has not answered yet. `withDrawing` also saves the confirmed canvas, so that the
  /// next start can show it before there is a connection. Undo steps are not saved.
  ///
  /// - Parameter withEdits: `false` leaves out the unanswered edits, so that the restored replica doesn't send them.
  ///   Their stamps still count as used.
  public func save(withDrawing: Bool, withEdits: Bool = true) -> [UInt8] {
    save(
      edits: withEdits ? outbox : Outbox(),
      drawing: withDrawing ? optimistic.confirmed : nil,
      cursor: cursor
    )
  }

  /// Saves the shown drawing, including unanswered edits, so that another replica can show it before there is a
  /// connection. The save has no cursor. So a replica that starts with it loads the whole room, and then shows the
  /// server's state.
  public func saveShown() -> [UInt8] {
    save(edits: Outbox(), drawing: optimistic.shown, cursor: nil)
  }

  private func save(edits outbox: Outbox, drawing: Canvas?, cursor: Cursor?) -> [UInt8] {
    var writer = ByteWriter(capacity: 256)
    writer.append(SavedReplica.version)
    writer.append(
      (drawing == nil ? 0 : SavedReplica.drawingFlag)
        | (connection.serverTime.offset == nil ? 0 : SavedReplica.offsetFlag)
        | (connection.key == nil ? 0 : SavedReplica.keyFlag)
    )
    writer.append(actor)
    writer.appendVarint(max(clock.clock.time, reserve.reservedTime))
    writer.appendVarint(clock.confirmedTime)
    if let offset = connection.serverTime.offset { writer.appendSignedVarint(offset) }
    if let key = connection.key { writer.appendCounted(key) }

    var operations: [Operation] = []
    writer.appendVarint(UInt64(outbox.flights.count))
    for flight in outbox.flights {
      writer.appendVarint(UInt64(flight.pending.count))
      for pending in flight.pending { operations.append(pending.operation) }
    }
    let edits = outbox.waitingEdits
    writer.appendVarint(UInt64(edits.count))
    for edit in edits {
      writer.appendVarint(UInt64(edit.count))
      operations += edit
    }
    BinaryOperations.write(operations, to: &writer)

    if let drawing {
      writer.appendCounted(cursor?.text ?? "")
      BinaryEncoding.write(state: drawing, to: &writer)
    }
    return SavedReplica.withChecksum(writer.finish())
  }
}

// MARK: - Restoring

extension Replica {
  /// Continues from a saved replica: the same actor, offline, with the same edits to send.
  ///
  /// `drawing` is a save by any replica of the same room. It is used instead of the saved replica's own drawing,
  /// because drawings are large and are saved less often than edits. After a reconnect, the room sends what has changed
  /// since.
  public init(
    saved bytes: [UInt8],
    drawing: [UInt8]? = nil,
    configuration: ReplicaConfiguration = ReplicaConfiguration(),
    seed: UInt64
  ) throws(SavedReplicaError) {
    let saved = try SavedParts.read(bytes, seed: seed)
    var seen = saved
    if let drawing { seen = try SavedParts.read(drawing, seed: seed) }
    // The drawing can be newer than the edits. Without its times, an edit could get an earlier stamp than the value that
    // the user sees, and would be lost.
    var clock = saved.clock
    clock.observe(Stamp(time: seen.clock.confirmedTime, actor: clock.clock.actor))
    self.init(
      configuration: configuration,
      clock: clock,
      serverTime: saved.serverTime,
      key: saved.key,
      outbox: saved.outbox,
      confirmed: seen.drawing,
      cursor: seen.cursor,
      random: SplitMix(seed: seed)
    )
  }

  /// A new client that starts with another client's saved drawing, without that client's unsent edits.
  public init(
    drawing bytes: [UInt8],
    configuration: ReplicaConfiguration = ReplicaConfiguration(),
    seed: UInt64
  ) throws(SavedReplicaError) {
    let seen = try SavedParts.read(bytes, seed: seed)
    var random = SplitMix(seed: seed)
    var clock = seen.clock
    clock.begin(as: Identifier.random(using: &random))
    self.init(
      configuration: configuration,
      clock: clock,
      serverTime: seen.serverTime,
      outbox: Outbox(),
      confirmed: seen.drawing,
      cursor: seen.cursor,
      random: random
    )
    connection.askForNewActor()
  }
}

/// A saved replica that was read and checked. It is a class because it is large and never changes: passing a reference
/// avoids copies.
private final class SavedParts {
  let clock: StampClock
  let serverTime: ServerTime
  let key: Text?
  let outbox: Outbox
  let drawing: Canvas?
  let cursor: Cursor?

  static func read(_ bytes: [UInt8], seed: UInt64) throws(SavedReplicaError) -> SavedParts {
    try bytes.span.withUnsafeBytes { (bytes) throws(SavedReplicaError) in try SavedParts(bytes, seed: seed) }
  }

  private init(_ bytes: UnsafeRawBufferPointer, seed: UInt64) throws(SavedReplicaError) {
    guard let version = bytes.first, bytes.count > SavedReplica.checksumBytes else { throw .damaged }
    guard version == SavedReplica.version else { throw .unknownVersion(version) }
    let body = UnsafeRawBufferPointer(rebasing: bytes.dropLast(SavedReplica.checksumBytes))
    let checksum = bytes.loadUnaligned(fromByteOffset: body.count, as: UInt64.self)
    guard SavedReplica.checksum(of: body) == UInt64(bigEndian: checksum) else { throw .damaged }
    var reader = ByteReader(UnsafeRawBufferPointer(rebasing: body.dropFirst()))
    do throws(BinaryFailure) {
      let flags = try reader.byte()
      guard flags & ~SavedReplica.flagsAll == 0 else { throw .malformed("a flag that there is not") }
      (clock, serverTime, key, outbox) = try SavedParts.readEdits(from: &reader, flags: flags)
      if flags & SavedReplica.drawingFlag != 0 {
        (drawing, cursor) = try SavedParts.readDrawing(from: &reader, seed: seed)
      } else {
        (drawing, cursor) = (nil, nil)
      }
      guard reader.isAtEnd else { throw .malformed("bytes behind the replica") }
    } catch {
      if case .refused(.roomFull, _) = error { throw .tooLarge }
      throw .damaged
    }
  }

  private static func readEdits(
    from reader: inout ByteReader,
    flags: UInt8
  ) throws(BinaryFailure) -> (clock: StampClock, serverTime: ServerTime, key: Text?, outbox: Outbox) {
    let actor = try reader.identifier()
    let time = try reader.varint()
    let confirmedTime = try reader.varint()
    let hasOffset = flags & SavedReplica.offsetFlag != 0
    let offset = hasOffset ? BinaryNumber.unzigzag(try reader.varint()) : nil
    let key = flags & SavedReplica.keyFlag != 0 ? try reader.countedText() : nil
    let clock = StampClock(
      clock: Clock(actor: actor, time: max(time, confirmedTime)),
      confirmedTime: confirmedTime,
      // A replica that doesn't know the server's time has never joined a room. So no earlier process has sent stamps.
      formerTime: offset == nil ? 0 : time
    )
    let flightLengths = try readLengths(from: &reader)
    let editLengths = try readLengths(from: &reader)
    var list = try BinaryOperationReader(reader)
    let flights = try readRuns(flightLengths, of: actor, from: &list)
    let edits = try readRuns(editLengths, of: actor, from: &list)
    guard case .none = try list.next() else { throw .malformed("an operation of no run") }
    reader = list.reader
    return (clock, ServerTime(offset: offset), key, Outbox(flights: flights, edits: edits))
  }

  private static func readLengths(from reader: inout ByteReader) throws(BinaryFailure) -> [UInt64] {
    var lengths: [UInt64] = []
    for _ in 0..<(try reader.count(bytesEach: 1)) { lengths.append(try reader.varint()) }
    return lengths
  }

  private static func readRuns(
    _ lengths: [UInt64],
    of actor: Identifier,
    from list: inout BinaryOperationReader
  ) throws(BinaryFailure) -> [[Operation]] {
    var runs: [[Operation]] = []
    for length in lengths {
      var run: [Operation] = []
      while UInt64(run.count) < length {
        guard let operation = try list.next(), let stamp = operation.at, stamp.actor == actor else {
          throw .malformed("an operation that is missing, or another's")
        }
        run.append(Operation(shape: operation.shape, at: stamp, set: operation.set))
      }
      if !run.isEmpty { runs.append(run) }
    }
    return runs
  }

  private static func readDrawing(
    from reader: inout ByteReader,
    seed: UInt64
  ) throws(BinaryFailure) -> (drawing: Canvas, cursor: Cursor?) {
    let text = try reader.countedText()
    let drawing = try BinaryEncoding.readState(from: &reader, shapesMax: SavedReplica.shapesMax, seed: seed)
    return (drawing, text.isEmpty ? nil : Cursor(text))
  }
}
