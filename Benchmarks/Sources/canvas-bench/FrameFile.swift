import CanvasCRDT
import Foundation

/// Writes the workload as a file of the server's frames, for Benchmarks/wasm/apply.mjs: first the base canvas as a
/// state, then an empty frame, then one frame for each update. Before each frame is its length in four bytes,
/// little-endian.
///
/// Also prints how long the native core takes for these frames. So one run measures both cores, the native one and
/// core.wasm.
enum FrameFile {
  static func write(_ workload: Workload, to path: String) throws {
    let updates = frames(workload.updates, of: 1)
    var writer = ByteWriter()
    for frame in encodedState(of: workload.canvas) + [[]] + updates {
      writer.appendLittleEndian(UInt32(frame.count))
      writer.append(frame)
    }
    try Data(writer.finish()).write(to: URL(fileURLWithPath: path))

    let seconds = medianSeconds(prepare: { workload.canvas }) { receive(updates, on: &$0) }
    var canvas = workload.canvas
    receive(updates, on: &canvas)
    let digest = String(canvas.digest, radix: 16)
    let padding = String(repeating: "0", count: 16 - digest.count)
    let perUpdate = seconds / Double(updates.count) * 1e6
    print("{\"applyMicroseconds\":\(perUpdate),\"digest\":\"\(padding)\(digest)\"}")
  }
}
