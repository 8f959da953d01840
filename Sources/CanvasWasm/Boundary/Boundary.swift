// What all exports share: the two buffers, and the result of a call.
//
// The buffers are global variables. This is safe for two reasons: WebAssembly runs in one thread here, and no call from
// JavaScript comes within another call, because nothing here calls JavaScript.

nonisolated(unsafe) var input = InputBuffer()
nonisolated(unsafe) var output = OutputBuffer()

/// The address of space for `count` bytes. JavaScript has to write them before its next call.
@_expose(wasm, "input") @_cdecl("canvas_input")
func makeInputRoom(_ count: UInt32) -> UnsafeMutableRawPointer? { input.makeRoom(Int(count)) }

/// The address of the newest answer.
@_expose(wasm, "output") @_cdecl("canvas_output")
func outputStart() -> UnsafeMutableRawPointer? { output.start }

/// The result of a call. If it is negative, the call failed, and −1 minus the result is the length of an error message.
/// Otherwise it is the length of the answer in bytes.
typealias Answer = Int32

func fail(_ words: Text) -> Answer {
  output.clear()
  output.append(words)
  return -1 - Answer(output.count)
}
