// Shared by all exports: the two buffers, and the result of a call.
//
// These are global, and still safe: WebAssembly runs in one thread here, and no call from JavaScript comes within
// another, because nothing here calls JavaScript.

nonisolated(unsafe) var input = InputBuffer()
nonisolated(unsafe) var output = OutputBuffer()

/// Space for `count` bytes, to be written before the next call.
@_expose(wasm, "input") @_cdecl("canvas_input")
func makeInputRoom(_ count: UInt32) -> UnsafeMutableRawPointer? { input.makeRoom(Int(count)) }

/// The address of the newest answer.
@_expose(wasm, "output") @_cdecl("canvas_output")
func outputStart() -> UnsafeMutableRawPointer? { output.start }

/// The result of a call: the length of its answer in bytes. If it is negative, the call failed, and −1 minus the result
/// is the length of an error message.
typealias Answer = Int32

func fail(_ words: Text) -> Answer {
  output.clear()
  output.append(words)
  return -1 - Answer(output.count)
}
