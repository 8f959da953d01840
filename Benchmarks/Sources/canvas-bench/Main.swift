import CanvasCRDT

/// Measures the core, and prints one JSON object per line. `Benchmarks/run.py` makes a table of them.
@main
struct Bench {
  static let usage = """
    canvas-bench core SHAPES…        figures of merging and of the wire, at each number of shapes
    canvas-bench replica SHAPES…     figures of a whole client
    canvas-bench overlap SHAPES…     figures of the overlap index
    canvas-bench workload SHAPES     the workload as NDJSON: the base canvas, then 100,000 updates
    canvas-bench repeat WHAT TIMES   over and over, for a profiler: apply, apply16, encode, decode, json, which reads
                                     the updates as clients send them in JSON, or again, which merges 100,000
                                     operations that the canvas has already
    canvas-bench frames SHAPES PATH  the workload as the server's frames, into a file; and what applying them takes
    """
  static let updates = 100_000

  static func main() throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    let sizes = arguments.dropFirst().compactMap { Int($0) }
    switch arguments.first {
    case "core":
      for shapes in sizes { print(CoreFigures(Workload(shapes: shapes, updates: updates)).json) }
    case "replica":
      for shapes in sizes { print(ReplicaFigures(Workload(shapes: shapes, updates: updates)).json) }
    case "overlap":
      for shapes in sizes { print(OverlapFigures(shapes: shapes).json) }
    case "workload" where sizes.count == 1:
      let workload = Workload(shapes: sizes[0], updates: updates)
      for operation in workload.base + workload.updates { print(workload.line(operation)) }
    case "frames" where arguments.count == 3 && sizes.count == 1:
      try FrameFile.write(Workload(shapes: sizes[0], updates: updates), to: arguments[2])
    case "repeat" where arguments.count == 3:
      repeatOnly(arguments[1], times: sizes.last ?? 1)
    default: print(usage)
    }
  }

  private static func repeatOnly(_ only: String, times: Int) {
    let workload = Workload(shapes: 10_000, updates: updates)
    var canvas = workload.canvas
    for operation in workload.updates { canvas.apply(operation) }
    let frames = frames(workload.updates, of: only == "apply16" ? 16 : 1)
    let state = encodedState(of: canvas)
    let texts = only == "json" ? jsonMessages(of: workload.base + workload.updates) : []
    var fastest = Double.infinity
    for _ in 0..<times {
      let seconds = medianSeconds(runs: 1, prepare: { workload.canvas }) { fresh in
        switch only {
        case "encode": _ = encodedState(of: canvas)
        case "decode": _ = decodedCanvas(state)
        case "json": parse(texts)
        case "again":
          for index in workload.updates.indices {
            let change = canvas.apply(workload.updates[index])
            precondition(change.isEmpty, "an operation changed the canvas a second time")
          }
        default: receive(frames, on: &fresh)
        }
      }
      fastest = min(fastest, seconds)
    }
    print(only, "took at best", fastest * 1e3, "ms")
  }
}
