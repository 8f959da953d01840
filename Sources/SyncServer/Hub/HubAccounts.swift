import CanvasCRDT
import RoomLog
import WebSocketLoop

/// The limits on a message that depend on the whole server rather than on its room: the space on its disk, and what
/// each account may write in a day.
struct Accounts {
  var quotas: DayQuotas
  var storage: StorageReserve

  init(_ configuration: Configuration) {
    quotas = DayQuotas(limits: configuration.limits)
    storage = StorageReserve(configuration)
  }

  func allowance(of payer: Payer, isNewRoom: Bool, now: UInt64) -> Allowance {
    // Quotas come first, because deletions fill what is left of the disk too.
    if let refusal = quotas.refusal(of: payer, isNewRoom: isNewRoom, now: now) {
      return Allowance(payer: payer, bound: .nothingNew(.quotaExceeded, Text(refusal)))
    }
    if storage.isLow {
      let words: Text = "the server's disk is nearly full: it only takes deletions"
      return Allowance(payer: payer, bound: .deletions(.storageLow, words))
    }
    return Allowance(payer: payer, bound: .none)
  }
}

// Accounts pay for the bytes that they store, up to their quotas.

extension Hub {
  func allowance(of payer: Payer, in open: OpenRoom, now: Moment) -> Allowance {
    if log.shares.isFull(payer.address) {
      let words: Text = "too much that your address has written waits to be stored"
      return Allowance(payer: payer, bound: .nothingNew(.unavailable, words))
    }
    return accounts.allowance(of: payer, isNewRoom: open.isUnpaid, now: now.monotonicMilliseconds)
  }

  /// What an account was charged for a batch.
  struct Charge {
    let payer: Payer
    let bytes: Int
    var rooms: Int
  }

  func charge(_ payer: Payer?, bytes: Int, to open: OpenRoom) -> Charge? {
    guard let payer else { return nil }
    let charge = Charge(payer: payer, bytes: bytes, rooms: open.putOnAccount() ? 1 : 0)
    accounts.quotas.charge(payer, bytes: bytes, rooms: charge.rooms, now: clocks.steadyMilliseconds)
    return charge
  }

  /// Gives back what was charged for a batch that the log hasn't stored. Otherwise clients that try again and again
  /// during an outage would use up their quotas with nothing.
  func giveBack(_ charge: Charge, for open: OpenRoom) {
    // If another batch has stored the room meanwhile, the account that was charged for the room goes on paying for it.
    let rooms = open.isStored ? 0 : charge.rooms
    if rooms > 0 { open.takeOffAccount() }
    accounts.quotas.charge(charge.payer, bytes: -charge.bytes, rooms: -rooms, now: clocks.steadyMilliseconds)
  }

  /// Another thread asks how much space is free, because a file system that hangs would stop everything here. Until it
  /// has answered, it isn't asked again.
  func lookAtStorage() {
    guard let directory = accounts.storage.directory, !accounts.storage.isBeingLookedAt else { return }
    accounts.storage.isBeingLookedAt = true
    job {
      let free = try? await heavyWork.run(for: "storage", isBounded: false) { StorageSpace.freeBytes(at: directory) }
      accounts.storage.isBeingLookedAt = false
      if let free { note(freeBytes: free) }
    }
  }

  private func note(freeBytes free: UInt64) {
    guard let isLow = accounts.storage.note(freeBytes: free) else { return }
    if isLow {
      logger.error("the disk is nearly full: only deletions are stored", ["free_bytes": .init(free)])
    } else {
      logger.info("the disk has space again", ["free_bytes": .init(free)])
    }
  }
}
