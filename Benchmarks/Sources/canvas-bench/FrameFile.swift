import CanvasCRDT
import Foundation

/// Writes the workload as a file of the server's frames, for Benchmarks/wasm/apply.mjs: first what a client receives
/// that joins, then an empty frame, then one frame for each update. Before each frame is its length in four bytes,
/// little-endian.
///
/// Also prints how long the native client takes for these frames. So one run measures both, the native one and
/// core.wasm.
enum FrameFile {
  static func write(_ workload: Workload, to path: String) throws {
    let updates = frames(workload.updates, of: 1)
    var writer = ByteWriter()
    for frame in ReplicaFigures.joining(workload) + [[]] + updates {
      writer.appendLittleEndian(UInt32(frame.count))
      writer.append(frame)
    }
    try Data(writer.finish()).write(to: URL(fileURLWithPath: path))

    let seconds = medianSeconds(prepare: { ReplicaFigures.joined(workload) }) {
      ReplicaFigures.receive(updates, by: &$0)
    }
    var replica = ReplicaFigures.joined(workload)
    ReplicaFigures.receive(updates, by: &replica)
    let digest = String(replica.canvas.digest, radix: 16)
    let padding = String(repeating: "0", count: 16 - digest.count)
    let perUpdate = seconds / Double(updates.count) * 1e6
    print("{\"receiveMicroseconds\":\(perUpdate),\"digest\":\"\(padding)\(digest)\"}")
  }
}
