// sources: Sources/SyncServer/Access/RoomName.swift Sources/SyncServer/Access/RequestToken.swift
// sources: Sources/SyncServer/Access/Addresses.swift Sources/SyncServer/Routes/BoxParameter.swift
//
// Fuzzes the paths and queries of requests, and the values in them: names of rooms, tokens, boxes. The input's first
// line is the target of a request. Its second line is a client's address as a proxy reports it.

import CanvasCRDT

@testable import WebSocketLoop

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = UnsafeBufferPointer(start: start, count: count)
  let lines = bytes.split(separator: 0x0A, maxSplits: 1, omittingEmptySubsequences: false)
  let target = lines.first.map { String(decoding: $0, as: UTF8.self) } ?? ""
  let halves = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
  let request = Request(path: halves.first ?? "", query: halves.count == 2 ? halves[1] : "", peer: "127.0.0.1")
  for part in request.pathParts where RoomName.isValid(part) {
    precondition(
      part.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x2F && $0 != 0x25 },
      "a room's name that is none"
    )
  }
  _ = request.malformedParameter
  _ = request.token
  for name in ["box", "size", "near", "at"] {
    guard let text = request.parameter(name) else { continue }
    for count in [2, 4] {
      guard let numbers = BoxParameter.numbers(text, count: count) else { continue }
      precondition(numbers.count == count && numbers.allSatisfy(\.isFinite), "a number that is none")
      guard count == 4 else { continue }
      if let box = BoxParameter.cut(numbers) {
        precondition(box.origin.x.isFinite && box.size.width >= 0 && box.size.height >= 0, "a box that is none")
      }
      if let box = BoxParameter.box(numbers) { precondition(box.size.width >= 1, "a box out of bounds") }
    }
  }
  let address = lines.count == 2 ? String(decoding: lines[1], as: UTF8.self) : ""
  let proxies = Proxies("127.0.0.1,10.0.0.0/8")!
  let origin = proxies.origin(peer: "127.0.0.1", path: address.split(separator: ",").map(String.init))
  precondition(NetworkAddress(origin) != nil, "an address that is none")
  _ = NetworkAddress.party(of: origin)
  _ = Proxies(address)
  return 0
}
