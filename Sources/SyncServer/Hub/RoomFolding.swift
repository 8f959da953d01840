import CanvasCRDT
import RoomLog

/// A room that is being opened. Its records are applied page by page, on another thread than the loop's.
///
/// `@unchecked Sendable`: only the task that opens the room has this object, and it waits for each piece of work that
/// uses the object.
final class RoomFolding: @unchecked Sendable {
  let name: String
  let epoch: UInt64
  private var room: Room?

  init(_ room: consuming Room) {
    name = room.name.string
    epoch = room.epoch
    self.room = room
  }

  /// The log position up to which records have been applied.
  var position: UInt64 { room?.position ?? 0 }

  /// How many shapes the room has, as long as it wasn't given away.
  var shapeCount: Int { room?.canvas.shapeCount ?? 0 }

  /// Gives the room away. No reference to the room remains here, so that later changes don't copy it.
  func take() -> Room {
    guard let taken = room.take() else { preconditionFailure("the room was taken before") }
    return taken
  }

  /// - Returns: the reason for a failure, or `nil`.
  func fold(_ records: [LogRecord], now: Moment) -> String? {
    for record in records {
      guard let stored = StoredOperations(record.bytes) else {
        return "the record at \(record.position) was written by a newer server"
      }
      do throws(MissingRecord) {
        try room?.delivered(RoomRecord(record, stored), now: now)
      } catch {
        return "the record at \(error.position) is missing"
      }
    }
    return nil
  }
}
