import CanvasCRDT
import WebSocketLoop

// Accounts pay for the bytes that they store, up to their quotas.

extension Hub {
  /// The limits on a message that depend on the whole server rather than on its room.
  func allowance(of payer: Payer, in open: OpenRoom, now: Moment) -> Allowance {
    if storage.isLow {
      let words: Text = "the server's disk is nearly full: it only takes deletions"
      return Allowance(payer: payer, bound: .deletions(.storageLow, words))
    }
    let refusal = quotas.refusal(of: payer, isNewRoom: open.isUnpaid, now: now.monotonicMilliseconds)
    return Allowance(payer: payer, bound: refusal.map { .nothingNew(.quotaExceeded, Text($0)) } ?? .none)
  }

  func charge(_ payer: Payer?, bytes: Int, to open: OpenRoom) {
    guard let payer else { return }
    let rooms = open.putOnAccount() ? 1 : 0
    quotas.charge(payer, bytes: bytes, rooms: rooms, now: clocks.steadyMilliseconds)
  }

  func lookAtStorage() {
    guard let isLow = storage.look() else { return }
    let free = storage.freeBytes ?? 0
    if isLow {
      logger.error("the disk is nearly full: only deletions are stored", ["free_bytes": .init(free)])
    } else {
      logger.info("the disk has space again", ["free_bytes": .init(free)])
    }
  }
}
