#if canImport(CanvasCRDT)
  import CanvasCRDT
#endif

// What the module keeps from one call to the next: what JavaScript holds, and the two buffers.
//
// Unsafe to share, and not shared: WebAssembly runs here in one thread, and no call from JavaScript comes within
// another, because nothing here calls JavaScript.

nonisolated(unsafe) var sessions = HandleTable<Session>()
nonisolated(unsafe) var canvases = HandleTable<Canvas>()
nonisolated(unsafe) var input = InputBuffer()
nonisolated(unsafe) var output = OutputBuffer()

/// Room for so many bytes to write to before the next call.
@_expose(wasm, "input") @_cdecl("canvas_input")
func makeInputRoom(_ count: UInt32) -> UnsafeMutableRawPointer { input.makeRoom(Int(count)) }

/// Where the newest answer begins.
@_expose(wasm, "output") @_cdecl("canvas_output")
func outputStart() -> UnsafeMutableRawPointer { output.start }

/// How a call ends: the length of its answer in bytes. Less than 0, it has failed: −1 less the length of why, in words.
typealias Answer = Int32

/// An event or an edit: the session takes in what it led to, and the answer is what the page is to do.
func perform(_ session: UInt32, _ event: (Session) -> [ReplicaEffect]) -> Answer {
  let session = sessions[session]
  let effects = event(session)
  session.follow(effects)
  output.clear()
  for effect in effects { output.append(effect) }
  return Answer(output.count)
}

/// A question: it changes nothing, and answers what `write` writes.
func answer(_ session: UInt32, _ write: (Session, inout OutputBuffer) -> Void) -> Answer {
  output.clear()
  write(sessions[session], &output)
  return Answer(output.count)
}

func fail(_ words: Text) -> Answer {
  output.clear()
  output.append(words)
  return -1 - Answer(output.count)
}

extension Moment {
  /// From `Date.now()` and `performance.now()`.
  init(_ wall: Double, _ monotonic: Double) {
    self.init(wallMilliseconds: Moment.whole(wall), monotonicMilliseconds: Moment.whole(monotonic))
  }

  private static func whole(_ milliseconds: Double) -> UInt64 {
    // In this order what isn't a number becomes 0.
    milliseconds >= 0 && milliseconds < 9_007_199_254_740_992 ? UInt64(milliseconds) : 0
  }
}

extension MessageError {
  /// What was wrong, in words.
  var words: Text {
    switch self {
    case .malformed(let words), .unknownType(let words), .badHello(let words), .badField(let words): words
    case .rejected(let rejection): rejection.message
    }
  }
}
