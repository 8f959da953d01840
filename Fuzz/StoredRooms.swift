// sources: Sources/SyncServer/Rooms/Fold/RoomImage.swift Sources/SyncServer/Rooms/Fold/RoomRuns.swift
// sources: Sources/SyncServer/Rooms/Fold/RoomRecord.swift
// sources: Sources/SyncServer/Stored/StoredOperations.swift
//
// Fuzzes what a log stores of a room: records of operations, and images of a room's state. An input that can be read
// must have the same content after it was written and read again. The input's first byte decides whether it is a record
// or an image.

import CanvasCRDT

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  guard count > 0 else { return 0 }
  let bytes = Array(UnsafeBufferPointer(start: start + 1, count: count - 1))
  guard start[0] & 1 == 0 else {
    guard let stored = StoredOperations(bytes) else { return 0 }
    let again = StoredOperations(stored.encoded())
    precondition(
      again?.run == stored.run && again?.operations == stored.operations,
      "a record changes when it is written again"
    )
    return 0
  }
  guard let image = try? RoomImage(bytes, seed: 7) else { return 0 }
  let written = image.encoded()
  guard let again = try? RoomImage(written, seed: 7) else { preconditionFailure("an image of ours is not read") }
  precondition(again.canvas.digest == image.canvas.digest, "a room changes when it is written again")
  precondition(again.position == image.position && again.clockTime == image.clockTime, "a room's place changes")
  precondition(again.encoded() == written, "an image changes when it is written again")
  return 0
}
