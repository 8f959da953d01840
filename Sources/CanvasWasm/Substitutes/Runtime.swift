// Functions that Swift's runtime expects from its host. They are defined here so that the module has no imports and
// runs wherever WebAssembly does.

@_cdecl("arc4random_buf")
func fillWithChance(_ start: UnsafeMutableRawPointer, _ count: Int) {
  for offset in 0..<count {
    start.storeBytes(of: UInt8(truncatingIfNeeded: chance.next()), toByteOffset: offset, as: UInt8.self)
  }
}

/// Discards the text that the runtime prints before a trap. JavaScript sees the trap itself as an exception.
@_cdecl("putchar")
func discardCharacter(_ character: CInt) -> CInt { character }
