// What the modules have in common: the two buffers, and how a call ends.
//
// Unsafe to share, and not shared: WebAssembly runs here in one thread, and no call from JavaScript comes within
// another, because nothing here calls JavaScript.

nonisolated(unsafe) var input = InputBuffer()
nonisolated(unsafe) var output = OutputBuffer()

/// Room for so many bytes to write to before the next call.
@_expose(wasm, "input") @_cdecl("canvas_input")
func makeInputRoom(_ count: UInt32) -> UnsafeMutableRawPointer? { input.makeRoom(Int(count)) }

/// Where the newest answer begins.
@_expose(wasm, "output") @_cdecl("canvas_output")
func outputStart() -> UnsafeMutableRawPointer? { output.start }

/// How a call ends: the length of its answer in bytes. Less than 0, it has failed: −1 less the length of why, in words.
typealias Answer = Int32

func fail(_ words: Text) -> Answer {
  output.clear()
  output.append(words)
  return -1 - Answer(output.count)
}
