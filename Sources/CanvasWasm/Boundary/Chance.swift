// What Swift's runtime asks of its host, so that the module imports nothing and runs wherever WebAssembly does.

/// Drawn from by the standard library, for the seed of its hashes. The same for everyone until the page has seeded it,
/// which it does before anything else; nothing that can be read depends on it, only how well a crafted room could slow
/// the module down.
///
/// Unsafe to share, and not shared: there is one thread, and it runs one call from JavaScript at a time.
nonisolated(unsafe) var chance = SplitMix(seed: 0)

/// 64 bits from JavaScript's `crypto`.
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

/// The runtime says by this why it traps, where it has words for it. JavaScript sees the trap itself as an exception.
@_cdecl("putchar")
func discardCharacter(_ character: CInt) -> CInt { character }
