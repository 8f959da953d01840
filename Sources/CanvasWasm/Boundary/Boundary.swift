// What all exports share: the two buffers, and the result of a call.
//
// The buffers are global variables. This is safe because WebAssembly is single-threaded here, and because nothing here
// calls JavaScript, so that calls are never nested.

nonisolated(unsafe) var input = InputBuffer()
nonisolated(unsafe) var output = OutputBuffer()

/// Random numbers, which also seed the standard library's hashes. The page seeds this generator before anything else.
/// No result depends on the seed, but it must be secret: otherwise a malicious room could choose identifiers that
/// collide and slow the module down.
///
/// The variable is global. This is safe, because there is one thread, and it runs one call from JavaScript at a time.
nonisolated(unsafe) var chance = SplitMix(seed: 0)

/// Seeds `chance` with 64 bits from JavaScript's `crypto`.
@_cdecl("seed")
func seed(_ bits: UInt64) {
  chance = SplitMix(seed: bits)
}

/// Returns the address of space for `count` bytes of input. JavaScript has to write the input before its next call.
@_cdecl("input")
func makeInputRoom(_ count: UInt32) -> UnsafeMutableRawPointer? { input.makeRoom(Int(count)) }

/// The address of the last call's answer.
@_cdecl("output")
func outputStart() -> UnsafeMutableRawPointer? { output.start }

/// The result of a call: the length of the answer in bytes. A negative result means that the call failed, and −1 minus
/// the result is the length of the error message.
typealias Answer = Int32

func fail(_ words: Text) -> Answer {
  output.clear()
  output.append(words)
  return -1 - Answer(output.count)
}
