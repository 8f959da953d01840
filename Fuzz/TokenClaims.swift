// sources: Sources/SyncServer/Limits/Payer.swift Sources/SyncServer/Access/RoomName.swift Sources/SyncServer/Access/Grant.swift Sources/SyncServer/Access/SignedClaims.swift
// sources: Sources/SyncServer/Access/TokenRefusal.swift Sources/SyncServer/Logging/Clocks.swift
//
// Fuzzes the header and the claims of signed tokens. The header is read before libjwt checks the signature. The claims
// may have any form too, because whoever has a key can sign anything. An accepted token must name a room and an expiry
// time.

import CanvasCRDT

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  // The input is the token's header, a dot, and the claims as JSON.
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  let parts = bytes.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
  if let words = String(validating: parts[0], as: UTF8.self), let header = try? SignedHeader(words[...]) {
    precondition([1, 4, 7].contains(header.algorithm.number), "an algorithm that the server doesn't take")
  }
  guard parts.count == 2, let claims = SignedClaims(Array(parts[1])) else { return 0 }
  var terms = SignedClaims.Terms()
  let now: UInt64 = 1_763_650_000_000
  let anyone = try? claims.grant(terms, at: now)
  terms.audience = "canvas"
  let ours = try? claims.grant(terms, at: now)
  precondition(anyone == nil || ours == nil, "a token for nobody is for us as well")
  guard let grant = anyone ?? ours else { return 0 }
  if anyone != nil { terms.audience = nil }
  precondition(!grant.rooms.isEmpty, "a token for no room")
  precondition(grant.label == "signed" || grant.account != nil, "a bearer that is named has no account")
  guard let end = grant.endsAt else { preconditionFailure("a token without an end") }
  precondition(end >= now, "a token that has ended is taken")
  precondition((try? claims.grant(terms, at: end + 1)) == nil, "a token is taken after its end")
  if let name = grant.name { precondition(PropertyRules.takesName(Text(name)), "a name that nobody may have") }
  return 0
}
