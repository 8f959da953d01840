// sources: Sources/SyncServer/Limits/Payer.swift Sources/SyncServer/Access/RoomName.swift Sources/SyncServer/Access/Grant.swift Sources/SyncServer/Access/Tokens.swift Sources/SyncServer/Access/CredentialFile.swift
//
// Fuzzes files of tokens. In an accepted file, each token must have the access that its line gives, and no other token
// may have access. Other files must be refused with a message that doesn't contain a token.

import CanvasCRDT

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  guard let text = String(validating: UnsafeBufferPointer(start: start, count: count), as: UTF8.self) else { return 0 }
  do throws(TokenFault) {
    let tokens = try Tokens(text)
    var known = 0
    for line in text.utf8.split(separator: 0x0A) {
      guard let first = line.split(whereSeparator: { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }).first,
        first.first != 0x23
      else { continue }
      let grant = tokens.grant(of: String(decoding: first, as: UTF8.self))
      precondition(grant != nil, "a token of the file gives nothing")
      precondition(!grant!.rooms.isEmpty, "a token for no room")
      known += 1
    }
    precondition(known == tokens.count, "more or fewer tokens than lines")
    precondition(tokens.grant(of: "") == nil && tokens.grant(of: "0123456789abcdef-no-token") == nil || known > 0)
  } catch {
    precondition(!error.words.isEmpty)
  }
  return 0
}
