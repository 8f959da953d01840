// Functions that Swift's runtime needs from its host. They are defined here so that the module imports nothing and runs
// wherever WebAssembly does.

/// Random numbers, from which the standard library takes the seed of its hashes. Until the page has seeded them, which
/// it does first of all, they are the same for everyone. No result depends on them. But without a secret seed a
/// malicious room could choose identifiers that slow the module down.
///
/// The variable is global. This is safe, because there is one thread, and it runs one call from JavaScript at a time.
nonisolated(unsafe) var chance = SplitMix(seed: 0)

/// Takes a seed of 64 bits from JavaScript's `crypto`.
@_expose(wasm, "seed") @_cdecl("canvas_seed")
func seed(_ bits: UInt64) {
  chance = SplitMix(seed: bits)
}

@_cdecl("arc4random_buf")
func fillWithChance(_ start: UnsafeMutableRawPointer, _ count: Int) {
  for offset in 0..<count {
    start.storeBytes(of: UInt8(truncatingIfNeeded: chance.next()), toByteOffset: offset, as: UInt8.self)
  }
}

/// Drops a character of the message that the runtime prints before a trap. JavaScript sees the trap itself as an
/// exception.
@_cdecl("putchar")
func discardCharacter(_ character: CInt) -> CInt { character }
