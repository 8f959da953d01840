import CanvasCRDT
import Foundation

/// What happened to one replica, event by event, and what it did and showed after each. It is a file under
/// Tests/wasm/histories. The tests here and those of core.wasm replay it, and have to get the same results.
///
/// The first line has the start values; every other line is an event.
struct RecordedHistory {
  struct Beginning: Codable {
    var actor: String
    /// Sixteen hexadecimal digits.
    var seed: String
    var encoding: String
  }

  struct Event: Codable, Equatable {
    var event: String
    /// The monotonic clock's time. The wall clock shows this plus `epoch`.
    var time: UInt64
    /// A frame from the server: text, or base 64.
    var frame: String?
    /// `{"ops":[…]}`.
    var edits: String?
    var shapes: [String]?
    var code: UInt16?

    // What came of it.
    var sent: [String] = []
    var digest = ""
    var confirmedDigest = ""
    var unsent = 0
    /// Now and then.
    var picture: Picture?

    init(_ event: String, time: UInt64) {
      self.event = event
      self.time = time
    }
  }

  struct Picture: Codable, Equatable {
    var order: [String]
    /// In the order of the shapes.
    var names: [String]
    var overlaps: [[String]]

    init(_ canvas: Canvas) {
      let order = DrawingOrder(canvas).identifiers
      let shown = ShownNames(canvas)
      self.order = order.map { $0.text }
      names = order.map { shown.name(of: $0)?.string ?? "" }
      let outlines = canvas.shapes.filter { $0.properties.visible }.map { (identifier: $0.id, outline: $0.outline) }
      overlaps = OverlapIndex(outlines).pairs.map { [$0.first.text, $0.second.text] }
    }
  }

  static let epoch: UInt64 = 1_763_650_000_000

  var beginning: Beginning
  var events: [Event] = []

  // MARK: - As a file

  init(beginning: Beginning) {
    self.beginning = beginning
  }

  init(file: URL) throws {
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
    let decoder = JSONDecoder()
    beginning = try decoder.decode(Beginning.self, from: Data((lines.first ?? "").utf8))
    events = try lines.dropFirst().map { try decoder.decode(Event.self, from: Data($0.utf8)) }
  }

  func write(to file: URL) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    var text = try encoder.encode(beginning) + Data("\n".utf8)
    for event in events { text += try encoder.encode(event) + Data("\n".utf8) }
    try text.write(to: file)
  }

  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("wasm/histories")
}

/// A replica to which recorded events happen.
struct HistoryPlayer {
  var replica: Replica
  let encoding: WireEncoding

  init?(_ beginning: RecordedHistory.Beginning) {
    guard let actor = Identifier(beginning.actor), let seed = UInt64(beginning.seed, radix: 16) else { return nil }
    encoding = beginning.encoding == "json" ? .json : .binary
    var configuration = ReplicaConfiguration()
    configuration.encoding = encoding
    replica = Replica(actor: actor, configuration: configuration, seed: seed)
  }

  /// Lets an event happen, and returns it with its results.
  mutating func play(_ event: RecordedHistory.Event) throws -> (event: RecordedHistory.Event, sent: [[UInt8]]) {
    let effects = try effects(of: event)
    var sent: [[UInt8]] = []
    for case .send(let bytes) in effects { sent.append(bytes) }
    var played = event
    played.sent = sent.map { text(of: $0) }
    played.digest = HistoryPlayer.hexadecimal(replica.canvas.digest)
    played.confirmedDigest = HistoryPlayer.hexadecimal(replica.confirmedDigest)
    played.unsent = replica.unsentCount
    if event.picture != nil { played.picture = RecordedHistory.Picture(replica.canvas) }
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
    encoding.isText ? String(decoding: bytes, as: UTF8.self) : Data(bytes).base64EncodedString()
  }

  func bytes(of text: String) -> [UInt8] {
    encoding.isText ? [UInt8](text.utf8) : [UInt8](Data(base64Encoded: text) ?? Data())
  }

  private static func hexadecimal(_ bits: UInt64) -> String {
    let digits = String(bits, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
