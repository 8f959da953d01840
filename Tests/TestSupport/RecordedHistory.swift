import CanvasCRDT
import Foundation

/// Events of one replica, with what it sent and showed after each. The files in Tests/wasm/histories come from a busy
/// room, and ReplicaTests records its random histories. core.wasm replays all of them and must get the same results.
///
/// The first line of a file has the start values. Every other line is an event.
package struct RecordedHistory {
  package struct Beginning: Codable {
    /// The replica's actor. `nil` before a server has assigned one.
    package var actor: String?
    /// A seed as sixteen hexadecimal digits.
    package var seed: String
    package var encoding: String

    package init(actor: Identifier?, seed: UInt64, encoding: WireEncoding) {
      self.actor = actor?.text
      self.seed = String(seed, radix: 16)
      self.encoding = encoding == .json ? "json" : "binary"
    }
  }

  package struct Event: Codable, Equatable, ExpressibleByStringLiteral {
    package var event: String
    /// The time of the monotonic clock. The wall clock shows this time plus `epoch`.
    package var time: UInt64
    /// A frame from the server, as text or in base 64. For a restored replica, its saved bytes in base 64.
    package var frame: String?
    /// `{"ops":[…]}`.
    package var edits: String?
    package var shapes: [String]?
    package var code: UInt16?
    package var isWithDrawing: Bool?
    /// The seed of a replica that is restored from the latest saved bytes.
    package var seed: String?

    // The results of the event.
    package var sent: [String] = []
    package var digest = ""
    package var confirmedDigest = ""
    package var unsent = 0
    /// The error codes of refused edits. `rejected`, `canUndo` and `canRedo` are `nil` in histories that are not
    /// random.
    package var rejected: [String]?
    package var canUndo: Bool?
    package var canRedo: Bool?
    /// What the canvas looks like. Only some events record it.
    package var picture: Picture?

    package init(_ event: String, time: UInt64 = 0) {
      self.event = event
      self.time = time
    }

    package init(stringLiteral event: String) { self.init(event) }

    package static func edit(_ edits: [ShapeEdit]) -> Event {
      var writer = JSONWriter()
      writer.beginObject()
      writer.key("ops")
      JSONEncoding.writeOperations(
        edits.map { ProposedOperation(shape: $0.shape, at: nil, set: $0.set) },
        to: &writer
      )
      writer.endObject()
      var event = Event("edit")
      event.edits = String(decoding: writer.finish(), as: UTF8.self)
      return event
    }

    package static func delete(_ shapes: [Identifier]) -> Event {
      var event = Event("delete")
      event.shapes = shapes.map { $0.text }
      return event
    }

    package static func received(_ bytes: [UInt8], _ encoding: WireEncoding) -> Event {
      var event = Event("received")
      event.frame = RecordedHistory.text(of: bytes, isText: encoding == .json)
      return event
    }

    package static func disconnected(_ code: UInt16?) -> Event {
      var event = Event("disconnected")
      event.code = code
      return event
    }

    package static func save(_ bytes: [UInt8], withDrawing: Bool) -> Event {
      var event = Event("save")
      event.frame = RecordedHistory.text(of: bytes, isText: false)
      event.isWithDrawing = withDrawing
      return event
    }

    package static func restore(seed: UInt64) -> Event {
      var event = Event("restore")
      event.seed = String(seed, radix: 16)
      return event
    }

    /// Adds the results to the event.
    package mutating func end(_ effects: [ReplicaEffect], _ replica: Replica) {
      sent = []
      for case .send(let bytes) in effects {
        sent.append(RecordedHistory.text(of: bytes, isText: replica.configuration.encoding == .json))
      }
      digest = RecordedHistory.hexadecimal(replica.canvas.digest)
      confirmedDigest = RecordedHistory.hexadecimal(replica.confirmedDigest)
      unsent = replica.unsentCount
      if picture != nil { picture = Picture(replica.canvas) }
    }

    /// Adds the results, the refusals, and whether undo and redo are possible. Only random histories need the last two.
    package mutating func endRefusable(_ effects: [ReplicaEffect], _ replica: Replica) {
      end(effects, replica)
      var codes: [String] = []
      for case .rejected(let edit) in effects { codes.append("\(edit.code.wireName)") }
      rejected = codes
      canUndo = replica.canUndo
      canRedo = replica.canRedo
    }
  }

  package struct Picture: Codable, Equatable {
    package var order: [String]
    /// The names of the shapes, in the order that `order` has.
    package var names: [String]
    package var overlaps: [[String]]

    package init(_ canvas: Canvas) {
      let order = DrawingOrder(canvas).identifiers
      let shown = ShownNames(canvas)
      self.order = order.map { $0.text }
      names = order.map { shown.name(of: $0)?.string ?? "" }
      let outlines = canvas.shapes.filter { $0.properties.visible }.map { (identifier: $0.id, outline: $0.outline) }
      overlaps = OverlapIndex(outlines).pairs.map { [$0.first.text, $0.second.text] }
    }
  }

  package static let epoch: UInt64 = 1_763_650_000_000

  package var beginning: Beginning
  package var events: [Event] = []

  // MARK: - As a file

  package init(beginning: Beginning) {
    self.beginning = beginning
  }

  package init(file: URL) throws {
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
    let decoder = JSONDecoder()
    beginning = try decoder.decode(Beginning.self, from: Data((lines.first ?? "").utf8))
    events = try lines.dropFirst().map { try decoder.decode(Event.self, from: Data($0.utf8)) }
  }

  package func write(to file: URL) throws { try lines().write(to: file) }

  package func lines() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    var text = try encoder.encode(beginning) + Data("\n".utf8)
    for event in events { text += try encoder.encode(event) + Data("\n".utf8) }
    return text
  }

  // MARK: - Text

  package static func text(of bytes: [UInt8], isText: Bool) -> String {
    isText ? String(decoding: bytes, as: UTF8.self) : Data(bytes).base64EncodedString()
  }

  private static func hexadecimal(_ bits: UInt64) -> String {
    let digits = String(bits, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
