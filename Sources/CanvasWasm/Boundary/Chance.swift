// Functions that Swift's runtime expects from its host. They are defined here so that the module has no imports and
// runs wherever WebAssembly does.

/// Random numbers, which also seed the standard library's hashes. The page seeds this generator before anything else.
/// No result depends on the seed, but it must be secret: otherwise a malicious room could choose identifiers that
/// collide and slow the module down.
///
/// The variable is global. This is safe, because there is one thread, and it runs one call from JavaScript at a time.
nonisolated(unsafe) var chance = SplitMix(seed: 0)

/// Seeds `chance` with 64 bits from JavaScript's `crypto`.
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

/// Discards the text that the runtime prints before a trap. JavaScript sees the trap itself as an exception.
@_cdecl("putchar")
func discardCharacter(_ character: CInt) -> CInt { character }
