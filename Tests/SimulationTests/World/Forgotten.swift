@testable import CanvasCRDT
@testable import ServerModel
@testable import SyncServer

// Checks that a room forgets no deletion before its time.

extension World {
  /// To be called when the room has forgotten deletions without a record that says so.
  mutating func lookAtForgotten(_ room: borrowing Room) {
    noteForgotten()
    guard nodes.count == 1, node.room.life == disk.life else { return }
    let (age, isEndless) = limits.horizonMilliseconds.multipliedReportingOverflow(by: 2)
    let old = isEndless ? 0 : now.wallMilliseconds - min(age, now.wallMilliseconds)
    let time = max(old, room.forgottenBefore)
    for deletion in missingDeletions(in: room) where ledger.forgotten.insert(deletion.at).inserted {
      guard deletion.at.milliseconds >= time else { continue }
      fail(.forgetting, "\(server) forgets the deletion of \(deletion.shape) at \(deletion.at)")
    }
  }

  /// To be called when the room has been opened. What it lacks then was forgotten before.
  mutating func noteMissingDeletions(in room: borrowing Room) {
    guard nodes.count == 1, node.room.life == disk.life else { return }
    for deletion in missingDeletions(in: room) { ledger.forgotten.insert(deletion.at) }
  }

  /// The newest deletion of each shape that the room neither shows nor remembers as deleted.
  private func missingDeletions(in room: borrowing Room) -> [Operation] {
    var missing: [Operation] = []
    for record in disk.records where record.position <= room.position {
      for operation in record.taken where operation.set.deleted && !room.canvas.contains(operation.shape) {
        let known = room.canvas.stamp(of: .deleted, in: operation.shape)
        if known.map({ $0 < operation.at }) ?? true { missing.append(operation) }
      }
    }
    return missing
  }
}
