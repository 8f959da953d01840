// What all exports share: the two buffers, and the result of a call.
//
// The buffers are global variables. This is safe because WebAssembly is single-threaded here, and because nothing here
// calls JavaScript, so that calls are never nested.

nonisolated(unsafe) var input = InputBuffer()
nonisolated(unsafe) var output = OutputBuffer()

/// Returns the address of space for `count` bytes of input. JavaScript has to write the input before its next call.
@_expose(wasm, "input") @_cdecl("canvas_input")
func makeInputRoom(_ count: UInt32) -> UnsafeMutableRawPointer? { input.makeRoom(Int(count)) }

/// The address of the last call's answer.
@_expose(wasm, "output") @_cdecl("canvas_output")
func outputStart() -> UnsafeMutableRawPointer? { output.start }

/// The result of a call: the length of the answer in bytes. A negative result means that the call failed, and −1 minus
/// the result is the length of the error message.
typealias Answer = Int32

func fail(_ words: Text) -> Answer {
  output.clear()
  output.append(words)
  return -1 - Answer(output.count)
}
