import CanvasCRDT
import RoomLog

/// Reads rooms from a log, one request after the other, and applies their records.
struct StoredRooms {
  /// Sends the log a request, and waits for its answer.
  private let answer: (_ request: (_ id: UInt64) -> LogRequest) -> LogEvent
  /// A random seed for the hash tables of all canvases here. Without it, somebody could draw shapes whose hashes
  /// collide.
  private let seed = UInt64.random(in: 0...UInt64.max)

  init(_ answer: @escaping (_ request: (_ id: UInt64) -> LogRequest) -> LogEvent) { self.answer = answer }

  private func ask<Answer>(_ question: LogQuestion<Answer>) throws(LogError) -> Answer {
    try question.answer(in: answer(question.request))
  }

  /// Why a room can't be read.
  struct Fault: Error {
    let words: String
    /// Whether the room is damaged, and other rooms can be read.
    let isDamage: Bool

    init(words: String, isDamage: Bool = false) {
      self.words = words
      self.isDamage = isDamage
    }

    init(_ error: LogError) { self.init(words: "\(error)", isDamage: error.damagedRoom != nil) }
  }

  /// Fails if the room has been deleted, and another one has its name.
  func load(_ room: RoomSummary, through position: UInt64) throws(Fault) -> LoadedRoom {
    let loaded: LoadedRoom
    do throws(LogError) { loaded = try ask(.load(room.room, through: .position(position))) } catch {
      throw Fault(error)
    }
    guard loaded.summary.epoch == room.epoch else { throw Fault(words: "room \(room.room) is another one by now") }
    return loaded
  }

  /// - Returns: `nil` if there is no such room.
  func summary(of room: String) throws(Fault) -> RoomSummary? {
    do throws(LogError) { return try ask(.load(room, wantsSnapshot: false)).summary } catch {
      if case .noSuchRoom = error { return nil }
      throw Fault(error)
    }
  }

  func forEachPage(
    of room: RoomSummary,
    after: UInt64,
    through last: UInt64,
    _ body: ([LogRecord]) throws(Fault) -> Void
  ) throws(Fault) {
    var after = after
    while after < last {
      let page: RecordPage
      do throws(LogError) {
        page = try ask(.read(room.room, epoch: room.epoch, after: after, through: .position(last)))
      } catch {
        throw Fault(error)
      }
      try body(page.records)
      if page.isLast { return }
      after = page.through
    }
  }

  /// The state that precedes a room's stored records.
  func base(of room: RoomSummary) throws(Fault) -> (fold: Fold, operations: UInt64) {
    guard room.trimmed > 0 else { return (Fold(epoch: room.epoch, seed: seed), 0) }
    guard let base = try load(room, through: room.trimmed).snapshot,
      let image = try? RoomImage(base.bytes, seed: seed)
    else { throw Fault(words: "the snapshot of room \(room.room) can't be read", isDamage: true) }
    let fold = Fold(epoch: room.epoch, image: image, changedMilliseconds: base.place.milliseconds)
    return (fold, base.place.operations)
  }

  /// - Parameter each: a function that is called after each record.
  func take(
    _ records: [LogRecord],
    of room: RoomSummary,
    into fold: inout Fold,
    each: (borrowing Fold) -> Void = { _ in }
  ) throws(Fault) {
    for record in records {
      guard let stored = StoredOperations(record.bytes) else {
        throw Fault(words: "record \(record.position) of room \(room.room) was written by a newer server")
      }
      do throws(MissingRecord) {
        _ = try fold.take(RoomRecord(record, stored), wantsLosses: false) { _, _ in }
      } catch {
        throw Fault(words: "record \(error.position) of room \(room.room) is missing", isDamage: true)
      }
      each(fold)
    }
  }

  // MARK: Comparing a room with its snapshots

  /// Applies all stored records of a room, and compares the result with each snapshot at the snapshot's position.
  /// - Returns: the differences and the damaged snapshots, in words.
  func differences(in name: String) -> [String] {
    do throws(Fault) {
      guard var room = try summary(of: name) else { return [] }
      while true {
        do throws(Fault) {
          return try differences(in: room)
        } catch {
          // While the room was read, a server might have dropped the room's oldest records, or deleted the room.
          guard let now = try summary(of: name) else { return [] }
          guard now.trimmed > room.trimmed || now.epoch != room.epoch else { throw error }
          room = now
        }
      }
    } catch {
      return [error.words]
    }
  }

  private struct Mark {
    let position: UInt64
    let digest: UInt64?
    let operations: UInt64
  }

  private func differences(in room: RoomSummary) throws(Fault) -> [String] {
    var (marks, words) = try self.marks(of: room)
    var (fold, _) = try base(of: room)
    func compare(_ fold: borrowing Fold) {
      while let mark = marks.last, mark.position <= fold.position {
        marks.removeLast()
        guard mark.position == fold.position, mark.position > room.trimmed else { continue }
        if mark.digest != fold.canvas.digest || mark.operations != fold.operationCount {
          words.append(
            "the snapshot of room \(room.room) at position \(mark.position) is not what its records add up to"
          )
        }
      }
    }
    try forEachPage(of: room, after: room.trimmed, through: room.last) { (records: [LogRecord]) throws(Fault) in
      try take(records, of: room, into: &fold, each: compare)
    }
    if fold.position != room.last {
      words.append("room \(room.room) lacks its records after position \(fold.position): it ended at \(room.last)")
    }
    return words
  }

  /// The snapshots up to the room's end, newest first, and a text for each damaged one.
  private func marks(of room: RoomSummary) throws(Fault) -> (marks: [Mark], damages: [String]) {
    var marks: [Mark] = []
    var damages: [String] = []
    var bound = room.last
    while bound > room.trimmed {
      let loaded = try load(room, through: bound)
      damages += loaded.passedOver.map { "\($0); the room can be used without it" }
      guard let snapshot = loaded.snapshot, snapshot.place.position > room.trimmed else { break }
      let image = try? RoomImage(snapshot.bytes, seed: seed)
      marks.append(
        Mark(
          position: snapshot.place.position,
          digest: image?.canvas.digest,
          operations: image?.operationCount ?? 0
        )
      )
      bound = snapshot.place.position - 1
    }
    return (marks, damages)
  }
}
