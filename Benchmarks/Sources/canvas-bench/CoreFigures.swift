import CanvasCRDT

/// Measures the core's operations on one workload.
struct CoreFigures {
  let shapes: Int
  var applyMicroseconds = 0.0
  var applyIn16Microseconds = 0.0
  var encodeMilliseconds = 0.0
  var decodeMilliseconds = 0.0
  var stateBytes = 0
  var deflatedBytes = 0
  var positionUpdateBytes = 0.0
  var positionUpdateBytesIn16 = 0.0
  var memoryBytesPerShape = 0.0

  init(_ workload: Workload) {
    shapes = workload.base.count
    let base = workload.canvas
    let single = frames(workload.updates, of: 1)
    let sixteen = frames(workload.updates, of: 16)
    let count = Double(workload.updates.count)
    applyMicroseconds = medianSeconds(prepare: { workload.canvas }) { receive(single, on: &$0) } / count * 1e6
    applyIn16Microseconds = medianSeconds(prepare: { workload.canvas }) { receive(sixteen, on: &$0) } / count * 1e6

    var canvas = base
    for operation in workload.updates { canvas.apply(operation) }
    var state: [[UInt8]] = []
    encodeMilliseconds = medianSeconds { state = encodedState(of: canvas) } * 1e3
    stateBytes = state.reduce(0) { $0 + $1.count }
    deflatedBytes = deflatedCount(Array(state.joined()))
    var rebuilt = Canvas(seed: 1)
    decodeMilliseconds = medianSeconds { rebuilt = decodedCanvas(state) } * 1e3
    precondition(rebuilt == canvas, "the state does not rebuild the canvas")

    // Frees the canvas, so that the heap contains neither a canvas nor buffers of the decoder when it is measured.
    rebuilt = Canvas(seed: 1)
    let before = heapBytes()
    rebuilt = decodedCanvas(state)
    memoryBytesPerShape = Double(heapBytes() - before) / Double(workload.base.count)
    precondition(rebuilt.liveCount == workload.base.count)

    let moves = Array(workload.updates.filter { $0.set.assigned == [.position] }.prefix(1_600))
    positionUpdateBytes = Double(frames(moves, of: 1).reduce(0) { $0 + $1.count }) / Double(moves.count)
    positionUpdateBytesIn16 = Double(frames(moves, of: 16).reduce(0) { $0 + $1.count }) / Double(moves.count)
  }

  var json: String {
    """
    {"shapes":\(shapes),"applyMicroseconds":\(applyMicroseconds),"applyIn16Microseconds":\(applyIn16Microseconds),\
    "encodeMilliseconds":\(encodeMilliseconds),"decodeMilliseconds":\(decodeMilliseconds),"stateBytes":\(stateBytes),\
    "deflatedBytes":\(deflatedBytes),"positionUpdateBytes":\(positionUpdateBytes),\
    "positionUpdateBytesIn16":\(positionUpdateBytesIn16),"memoryBytesPerShape":\(memoryBytesPerShape)}
    """
  }
}

/// Encodes operations as the server's frames, with `length` operations in each.
func frames(_ operations: [Operation], of length: Int) -> [[UInt8]] {
  var frames: [[UInt8]] = []
  var start = 0
  while start < operations.count {
    let end = min(operations.count, start + length)
    let delivery = Delivery(cursor: Cursor(Text("k3-\(end)")), operations: Array(operations[start..<end]))
    frames.append(BinaryEncoding.encode(.operations(delivery)))
    start = end
  }
  return frames
}

/// Receives frames as a client does: decodes each one, and applies it to the canvas.
@inline(never)
func receive(_ frames: [[UInt8]], on canvas: inout Canvas) {
  let liveBefore = canvas.liveCount
  for frame in frames {
    guard case .operations(let delivery)? = try? BinaryEncoding.decodeServerMessage(frame),
      case .operations(let operations) = delivery.content
    else { preconditionFailure("a frame of ours does not decode") }
    for index in operations.indices { canvas.apply(operations[index]) }
  }
  precondition(canvas.liveCount == liveBefore)
}

@inline(never)
func encodedState(of canvas: Canvas) -> [[UInt8]] {
  let parts = canvas.stateParts()
  return parts.indices.map { index in
    BinaryEncoding.encode(
      .operations(
        Delivery(
          cursor: Cursor("k3-110000"),
          content: .state(parts[index]),
          more: index < parts.count - 1,
          reset: index == 0
        )
      )
    )
  }
}

@inline(never)
func decodedCanvas(_ state: [[UInt8]]) -> Canvas {
  var canvas = Canvas(seed: 1)
  for message in state {
    guard case .operations(let delivery)? = try? BinaryEncoding.decodeServerMessage(message),
      case .state(let part) = delivery.content
    else { preconditionFailure("a state of ours does not decode") }
    canvas.merge(part)
  }
  return canvas
}

/// Encodes operations as a client sends them in JSON, with one operation in each message.
func jsonMessages(of operations: [Operation]) -> [[UInt8]] {
  operations.map { JSONEncoding.encode(.operations(Submission(id: nil, operations: [ProposedOperation($0)]))) }
}

@inline(never)
func parse(_ messages: [[UInt8]]) {
  for message in messages {
    guard case .operations? = try? JSONEncoding.decodeClientMessage(message) else {
      preconditionFailure("a message of ours does not decode")
    }
  }
}
