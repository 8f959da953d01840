import CanvasCRDT
import Foundation
import TestSupport

extension RecordedHistory {
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("wasm/histories")
}

/// Plays recorded events with a replica.
struct HistoryPlayer {
  var replica: Replica
  let encoding: WireEncoding

  init?(_ beginning: RecordedHistory.Beginning) {
    guard let actor = beginning.actor.flatMap({ Identifier($0) }), let seed = UInt64(beginning.seed, radix: 16) else {
      return nil
    }
    encoding = beginning.encoding == "json" ? .json : .binary
    var configuration = ReplicaConfiguration()
    configuration.encoding = encoding
    replica = Replica(actor: actor, configuration: configuration, seed: seed)
  }

  /// Passes an event to the replica. Returns the event with its results, and the messages that the replica sent.
  mutating func play(_ event: RecordedHistory.Event) throws -> (event: RecordedHistory.Event, sent: [[UInt8]]) {
    let effects = try effects(of: event)
    var played = event
    played.end(effects, replica)
    var sent: [[UInt8]] = []
    for case .send(let bytes) in effects { sent.append(bytes) }
    return (played, sent)
  }

  private mutating func effects(of event: RecordedHistory.Event) throws -> [ReplicaEffect] {
    let now = Moment(wallMilliseconds: RecordedHistory.epoch + event.time, monotonicMilliseconds: event.time)
    switch event.event {
    case "start": return replica.start(at: now)
    case "connected": return replica.connected(at: now)
    case "received": return replica.received(bytes(of: event.frame ?? ""), isText: encoding.isText, at: now)
    case "disconnected": return replica.disconnected(closeCode: event.code, at: now)
    case "wake": return replica.wake(at: now)
    case "edit":
      let submission = try JSONEncoding.decodeSubmission([UInt8]((event.edits ?? "").utf8))
      return replica.edit(submission.operations.map { ShapeEdit(shape: $0.shape, set: $0.set) }, at: now)
    case "delete": return replica.delete((event.shapes ?? []).compactMap { Identifier($0) }, at: now)
    case "clear": return replica.clear(at: now)
    case "undo": return replica.undo(at: now)
    case "redo": return replica.redo(at: now)
    case "beginGroup":
      replica.beginGroup()
      return []
    case "endGroup":
      replica.endGroup()
      return []
    default: throw CocoaError(.fileReadCorruptFile)
    }
  }

  func text(of bytes: [UInt8]) -> String {
    RecordedHistory.text(of: bytes, isText: encoding.isText)
  }

  func bytes(of text: String) -> [UInt8] {
    encoding.isText ? [UInt8](text.utf8) : [UInt8](Data(base64Encoded: text) ?? Data())
  }
}
